import type { ReactNode } from "react";

/**
 * A description list with hairlines. `wide`: names are above their values on narrow screens. `isCode`: names are field
 * names.
 */
export function Facts({
  wide = false,
  isCode = false,
  items,
}: {
  wide?: boolean;
  isCode?: boolean;
  items: readonly (readonly [name: string, value: ReactNode])[];
}) {
  const columns = wide
    ? "gap-x-3 gap-y-1.5 sm:grid-cols-[11rem_minmax(0,1fr)]"
    : "grid-cols-[5.5rem_minmax(0,1fr)] gap-3";
  return (
    <dl className="grid text-sm">
      {items.map(([name, value]) => (
        <div key={name} className={`grid items-start border-line border-b py-[0.4375rem] last:border-b-0 ${columns}`}>
          <dt className={`text-ink-muted ${isCode ? "font-mono text-xs leading-5" : ""}`}>{name}</dt>
          <dd className="wrap-anywhere min-w-0">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
