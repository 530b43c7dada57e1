import { ON_TIME_WITHIN_MS } from "#domain/punctuality.ts";

const KEYS = [
  ["p50", <line key="p50" x2="12" y1="6" y2="6" className="stroke-[2.5px] stroke-accent" />],
  ["to p95", <rect key="p95" y="1" width="12" height="10" className="fill-accent-line/70" />],
  [
    `${ON_TIME_WITHIN_MS} ms`,
    <line key="limit" x2="12" y1="6" y2="6" className="stroke-1 stroke-warn" strokeDasharray="2 3" />,
  ],
] as const;

/** Explains what a tape and its marks show. `isBrushed`: a range can be chosen in it, `isSingle`: each bucket is one request. */
export function TapeLegend({ what, isBrushed, isSingle }: { what: string; isBrushed: boolean; isSingle: boolean }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 text-ink-muted text-xs">
      <span>
        {isSingle ? `How late each ${what} was` : `p50 to p95 by ${what}`}
        {isBrushed && <span className="noscript:hidden max-sm:hidden"> · drag for a range</span>}
      </span>
      <span className="flex gap-4">
        {(isSingle ? KEYS.slice(2) : KEYS).map(([word, mark]) => (
          <span key={word} className="inline-flex items-center gap-1.5">
            <svg width="12" height="12" aria-hidden="true">
              {mark}
            </svg>
            {word}
          </span>
        ))}
      </span>
    </div>
  );
}
