import type { HTMLAttributes, ReactNode, Ref } from "react";

/** A surface with a hairline border. Do not nest cards. */
export function Card({ danger, className = "", ...rest }: HTMLAttributes<HTMLElement> & { danger?: boolean }) {
  const line = danger ? "border-bad-line" : "border-line";
  return <section {...rest} className={`min-w-0 rounded-lg border bg-surface ${line} ${className}`} />;
}

/** The heading of a card, with actions on the right. */
export function CardHead({ title, id, children }: { title: ReactNode; id?: string; children?: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line border-b px-4 py-3">
      <h2 id={id} className="wrap-anywhere min-w-0 text-base">
        {title}
      </h2>
      {children && <div className="ml-auto flex items-center gap-2">{children}</div>}
    </div>
  );
}

export function CardBody({ className = "", ...rest }: HTMLAttributes<HTMLDivElement> & { ref?: Ref<HTMLDivElement> }) {
  return <div {...rest} className={`p-4 ${className}`} />;
}

export function CardFoot({ className = "", ...rest }: HTMLAttributes<HTMLDivElement>) {
  return (
    <div
      {...rest}
      className={`flex flex-wrap items-center gap-x-4 gap-y-2 border-line border-t px-4 py-2.5 text-ink-muted text-xs ${className}`}
    />
  );
}
