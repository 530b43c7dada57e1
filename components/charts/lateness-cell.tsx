import { ON_TIME_WITHIN_MS } from "#domain/punctuality.ts";
import { formatOffset } from "../format/offset.ts";
import { None } from "../ui/none.tsx";
import { latenessScale, MAJOR_MS } from "./lateness-scale.ts";

/**
 * A lateness in a table cell: the figure, and a mark at its distance from the zero line. All rows share one scale.
 * `isTwoSided`: some row of the page was early. Null: not sent yet.
 */
export function LatenessCell({ ms, isTwoSided = false }: { ms: number | null; isTwoSided?: boolean }) {
  if (ms === null) {
    return (
      <span className="inline-block min-w-15 text-right text-ink-muted">
        <None what="not sent" />
      </span>
    );
  }
  const { xOf, zero } = latenessScale({ isTwoSided });
  const isLate = ms > ON_TIME_WITHIN_MS;
  const mark = `${xOf(ms)}%`;
  const majors = isTwoSided ? [...MAJOR_MS.map((major) => -major), ...MAJOR_MS] : MAJOR_MS;
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap">
      <span className={`min-w-15 text-right ${isLate ? "font-medium text-warn" : ""}`}>{formatOffset(ms)}</span>
      <svg width="96" height="20" className="shrink-0" aria-hidden="true">
        <line x1="0" x2="100%" y1="17.5" y2="17.5" className="stroke-1 stroke-line-strong" />
        {majors.map((major) => {
          const x = `${xOf(major)}%`;
          return <line key={major} x1={x} x2={x} y1="15" y2="17" className="stroke-1 stroke-line-strong" />;
        })}
        <line
          x1={`${zero}%`}
          x2={mark}
          y1="10"
          y2="10"
          className={`stroke-3 ${isLate ? "stroke-warn-line" : "stroke-accent-line"}`}
        />
        <line x1={`${zero}%`} x2={`${zero}%`} y1="2" y2="19" className="stroke-[1.5px] stroke-accent" />
        <line x1={mark} x2={mark} y1="4" y2="16" className={`stroke-2 ${isLate ? "stroke-warn" : "stroke-ink"}`} />
      </svg>
    </span>
  );
}
