"use client";

import { useEffect, useRef, useState } from "react";
import { formatCount } from "../format/number.ts";
import { formatSpan } from "../format/span.ts";
import { listenToBrush, type Stretch } from "./listen-to-brush.ts";

/** What can be chosen by brushing: `count` buckets of `stepMs` from `startMs` on (epoch ms), and the page that shows a range. */
export type Brush = { startMs: number; stepMs: number; count: number; zone: string; href: string };

/** Lets a range of a chart be chosen by dragging, or by Shift and arrow keys, and opens it. */
export function BrushControl({ startMs, stepMs, count, zone, href }: Brush) {
  const place = useRef<HTMLParagraphElement>(null);
  const [stretch, setStretch] = useState<Stretch | null>(null);
  useEffect(() => {
    const box = place.current?.parentElement;
    if (!box) return;
    const onOpen = ({ first, last }: Stretch) => {
      const at = (bucket: number) => new Date(startMs + bucket * stepMs).toISOString();
      const url = new URL(href, location.href);
      url.searchParams.set("from", at(first));
      url.searchParams.set("to", at(last + 1));
      location.assign(url);
    };
    return listenToBrush(box, { buckets: count, onStretch: setStretch, onOpen });
  }, [startMs, stepMs, count, href]);
  const instantOf = (bucket: number) => new Date(startMs + bucket * stepMs);
  return (
    <>
      {stretch && (
        <svg aria-hidden="true" className="pointer-events-none absolute inset-0 size-full">
          <rect
            x={`${(100 * stretch.first) / count}%`}
            width={`${(100 * (stretch.last - stretch.first + 1)) / count}%`}
            height="100%"
            className="fill-accent/15 stroke-1 stroke-accent"
          />
        </svg>
      )}
      <p
        ref={place}
        role="status"
        className="pointer-events-none absolute bottom-full left-0 rounded-md bg-raised px-2 py-1 text-ink text-xs shadow-overlay empty:hidden"
      >
        {stretch &&
          `${formatSpan(instantOf(stretch.first), instantOf(stretch.last + 1), zone)}: ${formatCount(stretch.sent)} sent`}
      </p>
    </>
  );
}
