import { formatOffset } from "../format/offset.ts";
import { None } from "../ui/none.tsx";

/** The time breakdown of one attempt, ms; null where a part does not apply. */
export type AttemptTiming = {
  late: number | null;
  claim: number | null;
  wait: number | null;
  connect: number | null;
  firstByte: number | null;
};

/** The time breakdown of one attempt as bars on one scale; the lateness begins at the zero line. */
export function AttemptTimes({ timing }: { timing: AttemptTiming }) {
  const longest = Math.max(1, ...Object.values(timing).map((ms) => Math.abs(ms ?? 0)));
  return (
    <dl className="grid grid-cols-[auto_minmax(2rem,1fr)_auto] items-center gap-x-3 gap-y-[0.1875rem] text-xs">
      {ROWS.map(({ name, of }) => {
        const ms = timing[of];
        const isLateness = of === "late";
        return (
          <div key={of} className="contents">
            <dt className="whitespace-nowrap text-ink-muted">{name}</dt>
            <dd aria-hidden="true">
              <svg className="block h-[0.4375rem] w-full" aria-hidden="true">
                <rect
                  width={`${(Math.abs(ms ?? 0) / longest) * 100}%`}
                  height="7"
                  className={isLateness ? "fill-accent" : "fill-line-strong"}
                />
                <rect
                  width={isLateness ? 2 : 1}
                  height="7"
                  className={isLateness ? "fill-accent" : "fill-line-strong"}
                />
              </svg>
            </dd>
            <dd className="whitespace-nowrap text-right">
              {ms === null ? <None what="none" /> : written(ms, isLateness)}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

const ROWS: readonly { name: string; of: keyof AttemptTiming }[] = [
  { name: "late", of: "late" },
  { name: "name, TCP, TLS", of: "connect" },
  { name: "claim", of: "claim" },
  { name: "wait for rate", of: "wait" },
  { name: "first byte back", of: "firstByte" },
];

function written(ms: number, isLateness: boolean): string {
  const text = formatOffset(ms);
  return isLateness ? text : text.replace("+", "");
}
