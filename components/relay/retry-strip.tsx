import type { PlannedRetry } from "#domain/retry.ts";
import { formatWait } from "./wait.ts";

const PLOT = 56;
const BASE = 48;
const BAND = 30;
const AXIS = 26;
/** The first attempt, percent of the width; the last retry may be up to `END`. */
const ZERO = 3;
const END = 97;
/** Percent of the width that a label needs. */
const WORDS = 13;

/**
 * When the attempts of a request would be, if each one fails at once: a mark at the earliest instant of each retry, and a band
 * to the latest, which is where the jitter of it and of those before can bring it. Screen readers get a sentence.
 */
export function RetryStrip({ retries }: { retries: readonly PlannedRetry[] }) {
  const lastMs = retries.at(-1)?.latestMs ?? 1;
  const xOf = (ms: number) => ZERO + (ms / lastMs) * (END - ZERO);
  const labels = labelled(retries, xOf);
  return (
    <svg role="img" aria-label={inWords(retries)} className="block w-full overflow-visible" height={PLOT + AXIS}>
      {retries.map(({ n, earliestMs, latestMs }) => (
        <line
          key={n}
          x1={`${xOf(earliestMs)}%`}
          x2={`${xOf(latestMs)}%`}
          y1={BAND}
          y2={BAND}
          className="stroke-8 stroke-accent-line"
        />
      ))}
      <line x1="0" x2="100%" y1={BASE} y2={BASE} className="stroke-1 stroke-line-strong" />
      {retries.map(({ n, earliestMs }) => (
        <line
          key={n}
          x1={`${xOf(earliestMs)}%`}
          x2={`${xOf(earliestMs)}%`}
          y1={12}
          y2={BASE}
          className="stroke-2 stroke-ink"
        />
      ))}
      <line x1={`${ZERO}%`} x2={`${ZERO}%`} y1={0} y2={PLOT} className="stroke-2 stroke-accent" />
      <text x={`${ZERO}%`} y={PLOT + 16} textAnchor="middle" className="fill-accent font-medium text-2xs">
        0
      </text>
      {labels.map(({ n, earliestMs }) => (
        <text
          key={n}
          x={`${xOf(earliestMs)}%`}
          y={PLOT + 16}
          textAnchor={xOf(earliestMs) > 100 - WORDS / 2 ? "end" : "middle"}
          className="fill-ink-muted text-2xs"
        >
          {formatWait(earliestMs)}
        </text>
      ))}
    </svg>
  );
}

/** The retries whose labels do not overlap, the last one first. */
function labelled(retries: readonly PlannedRetry[], xOf: (ms: number) => number): PlannedRetry[] {
  const chosen: PlannedRetry[] = [];
  let limit = Number.POSITIVE_INFINITY;
  for (const retry of retries.toReversed()) {
    const x = xOf(retry.earliestMs);
    if (x > limit - WORDS || x < ZERO + WORDS / 2) continue;
    chosen.push(retry);
    limit = x;
  }
  return chosen;
}

function inWords(retries: readonly PlannedRetry[]): string {
  if (retries.length === 0) return "One attempt, and no retry.";
  const times = retries.map(({ earliestMs }) => formatWait(earliestMs));
  const last = times.pop();
  const all = times.length === 0 ? last : `${times.join(", ")} and ${last}`;
  return `Retries ${all} after the first attempt at the earliest, each up to a quarter later.`;
}
