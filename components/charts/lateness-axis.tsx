import { latenessScale, MAJOR_MS, MINOR_MS } from "./lateness-scale.ts";

const HEIGHT = 28;

/** The axis of a lateness chart, `y` px from its top and `LatenessAxis.height` px high. */
export function LatenessAxis({ y, isTwoSided = false }: { y: number; isTwoSided?: boolean }) {
  const { xOf, zero } = latenessScale({ isTwoSided });
  const places = (all: readonly number[]) =>
    (isTwoSided ? [...all.map((ms) => -ms), ...all] : all).map(xOf).filter((x) => x > 0);
  const ticks = (all: readonly number[], to: number) =>
    places(all)
      .map((x) => `M${Math.round(x * 100) / 100} 0V${to}`)
      .join("");
  return (
    <>
      <line x1="0" x2="100%" y1={y} y2={y} className="stroke-1 stroke-line-strong" />
      <svg
        aria-hidden="true"
        y={y}
        height="10"
        width="100%"
        viewBox="0 0 100 10"
        preserveAspectRatio="none"
        className="overflow-visible"
      >
        <path vectorEffect="non-scaling-stroke" className="stroke-1 stroke-line-strong" d={ticks(MINOR_MS, 4)} />
        <path vectorEffect="non-scaling-stroke" className="stroke-1 stroke-line-strong" d={ticks(MAJOR_MS, 10)} />
      </svg>
      {(isTwoSided ? [-100, -10, ...MAJOR_MS] : MAJOR_MS).map((ms) => (
        <text
          key={ms}
          x={`${xOf(ms)}%`}
          y={y + 22}
          textAnchor={ms === 10_000 ? "end" : "middle"}
          className="fill-ink-muted text-2xs"
        >
          {label(ms)}
        </text>
      ))}
      <text x={`${zero}%`} y={y + 22} textAnchor="middle" className="fill-accent font-medium text-2xs">
        0
      </text>
    </>
  );
}

LatenessAxis.height = HEIGHT;

function label(ms: number): string {
  if (ms < 0) return `−${-ms}`;
  if (ms >= 1_000) return `${ms / 1_000} s`;
  return ms === 100 ? "100 ms" : String(ms);
}
