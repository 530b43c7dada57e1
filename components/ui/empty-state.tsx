import type { IconNode } from "lucide";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";

/**
 * Shown in place of an empty list or a missing item: nothing yet ("first"), no match ("no-match"), or an icon for an error.
 * `children` explain, `actions` are the next steps.
 */
export function EmptyState({
  title,
  art,
  heading: Heading = "h2",
  actions,
  children,
}: {
  title: string;
  art: "first" | "no-match" | IconNode;
  heading?: "h1" | "h2" | "h3";
  actions?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="grid justify-items-center gap-2 px-5 py-10 text-center">
      {typeof art === "string" ? <Art marks={art} /> : <Icon of={art} />}
      <Heading className="text-lg">{title}</Heading>
      <div className="grid max-w-104 justify-items-center gap-2 text-pretty text-ink-soft">{children}</div>
      {actions && <div className="mt-2 flex flex-wrap items-center justify-center gap-2">{actions}</div>}
    </div>
  );
}

function Art({ marks }: { marks: "first" | "no-match" }) {
  return (
    <svg className="mb-2 h-8 w-44" viewBox="0 0 176 32" aria-hidden="true">
      <path d="M0 28.5H176" className="stroke-line-strong" />
      <path d="M24 4V31" className="stroke-2 stroke-accent" />
      {marks === "first" ? (
        <path d="M29 10V27" className="stroke-line-strong" strokeDasharray="2 3" />
      ) : (
        <path d="M60 28V12M90 28V18" className="stroke-2 stroke-line" />
      )}
    </svg>
  );
}
