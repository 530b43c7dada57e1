import type { ReactNode } from "react";
import { type Brush, BrushControl } from "./brush-control.tsx";

/**
 * The answering regions of a chart, over its picture: place both in one `relative` element. `label` is for screen readers. By
 * script they are one stop of the keyboard (`page-behaviour.ts`); with `brush` a range can be chosen.
 */
export function Answers({ label, brush, children }: { label: string; brush?: Brush | undefined; children: ReactNode }) {
  return (
    <div data-answers className={`absolute inset-0 ${brush ? "touch-pan-y" : ""}`}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot hold parts of a picture */}
      <svg role="group" aria-label={label} className="size-full overflow-visible">
        {children}
      </svg>
      {brush && <BrushControl {...brush} />}
    </div>
  );
}

/**
 * A region of a chart that answers: pointing at it or focusing it shows `title` and `lines` beside it, and pressing it follows
 * `href`. `x` and `width` are percent of the chart, `y` and `height` px. Works without scripts.
 */
export function Answer({
  href,
  title,
  lines,
  x,
  width,
  y = 0,
  height,
  bucket,
}: {
  href: string;
  title: string;
  lines: readonly string[];
  x: number;
  width: number;
  y?: number;
  height: number;
  /** Where a brush can be: the place of the bucket, and what is counted in it. */
  bucket?: { place: number; count: number };
}) {
  const end = x + width;
  const isLeft = x + end < 100;
  const box = isLeft ? { x: `${round(end)}%`, width: `${round(100 - end)}%` } : { x: 0, width: `${round(x)}%` };
  return (
    <g className="answer">
      <a href={href} aria-label={`${title}: ${lines.join(", ")}`} data-place={bucket?.place} data-count={bucket?.count}>
        <rect x={`${round(x)}%`} width={`${round(width)}%`} y={y} height={height} />
      </a>
      <foreignObject {...box} y={y} height={height}>
        <div aria-hidden="true" data-left={isLeft || undefined}>
          <p>
            <b>{title}</b>
            {lines.map((line) => (
              <span key={line}>{line}</span>
            ))}
          </p>
        </div>
      </foreignObject>
    </g>
  );
}

const round = (value: number) => Math.round(value * 100) / 100;
