import type { ReactNode } from "react";

/** One heading of the gallery and the parts below it, side by side where there is room when `columns`. */
export function Section({ title, columns, children }: { title: string; columns?: boolean; children: ReactNode }) {
  return (
    <section className="grid min-w-0 grid-cols-1 gap-2.5">
      <h2 className="flex items-center gap-2 font-normal text-ink-muted text-xs tracking-normal after:flex-1 after:border-line after:border-t after:border-dashed">
        {title}
      </h2>
      <div
        className={
          columns
            ? "grid items-start gap-4 grid-cols-[repeat(auto-fit,minmax(min(100%,21rem),1fr))]"
            : "grid min-w-0 grid-cols-1 gap-4"
        }
      >
        {children}
      </div>
    </section>
  );
}
