import { Lock, X } from "lucide";
import type { ElementType } from "react";
import { formatCount } from "../format/number.ts";
import { Icon } from "./icon.tsx";

type Choice = { href: string; label: string; isCurrent?: boolean };

/** Tabs of one list, each a link. `label` names them for screen readers. */
export function Tabs({
  label,
  tabs,
  as: Anchor = "a",
}: {
  label: string;
  /** `isCapped`: there are more than `count`. */
  tabs: readonly (Choice & { count?: number; isCapped?: boolean })[];
  as?: ElementType;
}) {
  return (
    <nav
      aria-label={label}
      className="fade-end flex gap-0.5 overflow-x-auto border-line border-b [scrollbar-width:none]"
    >
      {tabs.map(({ href, label: name, isCurrent, count, isCapped }) => (
        <Anchor
          key={href}
          href={href}
          aria-current={isCurrent ? "page" : undefined}
          className="-mb-px inline-flex min-h-9 items-center gap-1.5 whitespace-nowrap border-transparent border-b-2 px-2.5 text-ink-soft text-sm hover:text-ink focus-visible:-outline-offset-2 aria-[current]:border-accent aria-[current]:font-medium aria-[current]:text-ink"
        >
          {name}
          {count !== undefined && (
            <span className="font-normal text-ink-muted text-xs">
              {formatCount(count)}
              {isCapped && "+"}
            </span>
          )}
        </Anchor>
      ))}
    </nav>
  );
}

/** A segmented control; `locked` is the reason why an option is unavailable, also for screen readers. */
export function Segments({
  label,
  choices,
  as: Anchor = "a",
}: {
  label: string;
  choices: readonly (Choice & { locked?: string })[];
  as?: ElementType;
}) {
  const look =
    "inline-flex min-h-6 items-center gap-[0.3125rem] whitespace-nowrap rounded-sm px-[0.5625rem] text-ink-soft text-xs";
  return (
    <nav aria-label={label} className="inline-flex gap-0.5 rounded-md border border-line bg-sunken p-0.5">
      {choices.map(({ href, label: name, isCurrent, locked }) =>
        locked === undefined ? (
          <Anchor
            key={href}
            href={href}
            aria-current={isCurrent ? "true" : undefined}
            className={`${look} hover:text-ink aria-[current]:bg-raised aria-[current]:font-medium aria-[current]:text-ink aria-[current]:ring-1 aria-[current]:ring-line`}
          >
            {name}
          </Anchor>
        ) : (
          <span key={href} className={`${look} cursor-not-allowed text-ink-muted`} title={locked}>
            <Icon of={Lock} small />
            {name}
            <span className="sr-only">: {locked}</span>
          </span>
        ),
      )}
    </nav>
  );
}

/** An active filter, with a link that removes it. */
export function FilterChip({
  label,
  removeHref,
  as: Anchor = "a",
}: {
  label: string;
  removeHref: string;
  as?: ElementType;
}) {
  return (
    <Anchor
      href={removeHref}
      className="inline-flex min-h-6.5 max-w-full items-center gap-1.5 rounded-md border border-accent-line bg-accent-soft px-2 py-0.5 text-accent-strong text-xs hover:border-accent"
    >
      <span className="sr-only">Remove filter </span>
      <span className="wrap-anywhere line-clamp-2 min-w-0">{label}</span>
      <Icon of={X} small />
    </Anchor>
  );
}
