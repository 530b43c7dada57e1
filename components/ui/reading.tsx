import type { ElementType, ReactNode } from "react";
import { offsetParts } from "../format/offset.ts";

/** A figure with its label above and, when there is one, a note below. */
export function Reading({
  label,
  unit,
  note,
  children,
}: {
  label: ReactNode;
  unit?: string;
  note?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="grid min-w-0 content-start gap-1">
      <span className="text-ink-muted text-xs">{label}</span>
      <span className="whitespace-nowrap text-2xl leading-7.5 tracking-[-0.035em] max-sm:text-xl max-sm:leading-7.5">
        {children}
        {unit && <Unit>{unit}</Unit>}
      </span>
      {note && <span className="text-ink-muted text-xs">{note}</span>}
    </div>
  );
}

/** Readings at the foot of a card, separated by hairlines; one with `href` is a link as a whole. */
export function Readings({
  items,
  as: Anchor = "a",
}: {
  items: readonly { label: string; value: ReactNode; unit?: string; note?: ReactNode; href?: string }[];
  as?: ElementType;
}) {
  const look = "-mr-px -mb-px border-line border-r border-b px-4 py-3.5";
  return (
    <ul className="grid grid-cols-[repeat(auto-fit,minmax(min(50%,9rem),1fr))] overflow-hidden rounded-b-lg border-line border-t">
      {items.map(({ label, value, unit, note, href }) => {
        const reading = (
          <Reading label={label} unit={unit} note={note}>
            {value}
          </Reading>
        );
        return (
          <li key={label} className={href === undefined ? look : "contents"}>
            {href === undefined ? (
              reading
            ) : (
              <Anchor href={href} className={`${look} hover:bg-hover focus-visible:-outline-offset-2`}>
                {reading}
              </Anchor>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** The main figure of a page: a lateness, with its sign in the accent colour. */
export function LatenessFigure({ ms, size = "figure" }: { ms: number; size?: "figure" | "hero" }) {
  const { sign, value, unit } = offsetParts(ms);
  return (
    <span
      className={`whitespace-nowrap ${size === "hero" ? "-ml-[0.04em] text-hero tracking-[-0.06em]" : "text-figure tracking-figure"}`}
    >
      {sign && <span className="font-light text-accent">{sign}</span>}
      {value}
      <span
        className={`ml-[0.1em] text-ink-muted leading-none tracking-[-0.02em] ${size === "hero" ? "text-[0.22em]" : "text-[0.36em]"}`}
      >
        {" "}
        {unit}
      </span>
    </span>
  );
}

function Unit({ children }: { children: string }) {
  return <span className="ml-[0.05em] text-[0.5em] text-ink-muted leading-none tracking-[-0.01em]"> {children}</span>;
}
