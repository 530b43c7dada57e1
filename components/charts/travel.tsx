"use client";

import { type ReactNode, useEffect, useRef } from "react";

/**
 * When a schedule fires while its page is open, the parts with `data-travel` go from the zero line to their place. `ms` is the
 * lateness that its strip shows, null before it is known. Without motion, or on a page that is opened later, they are there.
 */
export function Travel({ ms, children }: { ms: number | null; children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const before = useRef(ms);
  useEffect(() => {
    const wasAhead = before.current === null;
    before.current = ms;
    if (ms === null || !wasAhead || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const part of place.current?.querySelectorAll<SVGElement>("[data-travel]") ?? []) travel(part);
  }, [ms]);
  return <div ref={place}>{children}</div>;
}

const MOTION = { duration: 900, easing: "cubic-bezier(0.2, 0.8, 0.2, 1)" };

/** Moves a part by its distance from the zero line, or lets a bar grow from there. */
function travel(part: SVGElement): void {
  const zero = part.ownerSVGElement?.querySelector("[data-zero]")?.getBoundingClientRect();
  if (!zero) return;
  const from = zero.left + zero.width / 2;
  const { left, width } = part.getBoundingClientRect();
  if (part.dataset.travel === "bar") {
    const isLate = left + width / 2 > from;
    part.style.transformBox = "fill-box";
    part.style.transformOrigin = isLate ? "left" : "right";
    part.animate([{ transform: "scaleX(0)" }, { transform: "none" }], MOTION);
  } else {
    part.animate([{ transform: `translateX(${from - left - width / 2}px)` }, { transform: "none" }], MOTION);
  }
}
