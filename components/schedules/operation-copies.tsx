import type { CopyCounts, CopyProgress } from "#domain/copies-of-operation.ts";
import type { ScheduleStatus } from "#domain/states.ts";
import { formatCount } from "../format/number.ts";
import { capitalised, statusWord } from "../format/status-word.ts";
import { Readings } from "../ui/reading.tsx";

/** From the left of the bar: what is over, then what is on its way. */
const PARTS = [
  ["succeeded", "fill-ok"],
  ["dead", "fill-bad"],
  ["cancelled", "fill-ink-muted"],
  ["failed", "fill-warn"],
  ["firing", "fill-accent"],
  ["scheduled", "fill-accent-line"],
] as const satisfies readonly (readonly [ScheduleStatus, string])[];

/** The copies of a replay as a bar of their statuses, out of `of`, that says how many are delivered. */
export function CopiesBar({ counts, progress }: { counts: CopyCounts; progress: CopyProgress }) {
  const { delivered, of } = progress;
  const share = (count: number) => (of === 0 ? 0 : (100 * count) / of);
  const starts = PARTS.map((_, at) => PARTS.slice(0, at).reduce((sum, [status]) => sum + counts.byStatus[status], 0));
  return (
    <div
      role="progressbar"
      aria-label="Delivered"
      aria-valuemin={0}
      aria-valuemax={of}
      aria-valuenow={delivered}
      aria-valuetext={deliveredInWords(progress)}
    >
      <svg className="block h-2.5 w-full overflow-hidden rounded-sm" aria-hidden="true">
        <rect width="100%" height="10" className="fill-line" />
        {PARTS.map(([status, ink], at) => (
          <rect
            key={status}
            x={`${share(starts[at] ?? 0)}%`}
            width={`${share(counts.byStatus[status])}%`}
            height="10"
            className={ink}
          />
        ))}
      </svg>
    </div>
  );
}

/** How many copies have each status, each with a link to exactly these (`hrefOf` is the list of one status), and `others`. */
export function CopyReadings({
  counts,
  hrefOf,
  others,
}: {
  counts: CopyCounts;
  hrefOf: (status: ScheduleStatus) => string;
  others: readonly { label: string; value: string }[];
}) {
  const shown = PARTS.filter(([status]) => status === "succeeded" || counts.byStatus[status] > 0);
  return (
    <Readings
      items={[
        ...shown.map(([status]) => ({
          label: status === "succeeded" ? "Delivered" : capitalised(statusWord(status)),
          value: formatCount(counts.byStatus[status]),
          href: hrefOf(status),
        })),
        ...others,
      ]}
    />
  );
}

/** `37 of 37 delivered`. */
export function deliveredInWords({ delivered, of, isCapped }: CopyProgress): string {
  return `${isCapped ? "at least " : ""}${formatCount(delivered)} of ${formatCount(of)} delivered`;
}
