import type { ReactNode } from "react";

/** The header of a dashboard page: title, view controls and main action. */
export function PageBar({
  title,
  crumb,
  tools,
  action,
}: {
  title: string;
  crumb?: { href: string; label: string };
  tools?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="z-20 flex min-h-13 flex-wrap items-center gap-x-3 gap-y-2 border-line border-b bg-canvas/92 px-4 py-2 backdrop-blur-sm sm:px-6 lg:sticky lg:top-0 lg:px-8">
      <div className="flex min-w-0 flex-1 basis-28 items-center gap-2">
        {crumb && (
          <>
            <a href={crumb.href} className="max-w-2/5 shrink-0 truncate text-ink-muted leading-6 hover:underline">
              {crumb.label}
            </a>
            <span className="text-ink-muted" aria-hidden="true">
              /
            </span>
          </>
        )}
        <h1 className="min-w-16 shrink-3 truncate text-[0.9375rem] tracking-[-0.012em]">{title}</h1>
      </div>
      {tools && (
        <div className="flex min-w-0 flex-wrap items-center gap-2 max-lg:order-1 max-lg:basis-full max-[76.5rem]:has-[[type=search]]:order-1 max-[76.5rem]:has-[[type=search]]:basis-full lg:justify-end">
          {tools}
        </div>
      )}
      {action && <div className="ml-auto flex items-center gap-2">{action}</div>}
    </div>
  );
}

/** The content of a dashboard page, below its header. `narrow` is for forms. */
export function PageBody({ narrow = false, children }: { narrow?: boolean; children: ReactNode }) {
  return (
    <div className={`grid min-w-0 grid-cols-1 gap-5 px-4 py-5 sm:p-6 lg:px-8 ${narrow ? "max-w-208" : "max-w-page"}`}>
      {children}
    </div>
  );
}
