"use client";

import { useEffect, useState } from "react";
import { formatDuration } from "../format/duration.ts";

/**
 * The time until `atMs`, updated every second. `nowMs` is when the page was rendered (epoch ms), so the server's clock
 * applies and not the browser's. Hidden from screen readers: put the instant beside it. Without scripts it does not
 * change.
 */
export function Countdown({ atMs, nowMs }: { atMs: number; nowMs: number }) {
  const [words, setWords] = useState(inWords(atMs - nowMs));
  useEffect(() => {
    const madeAtMs = performance.now();
    const tick = () => setWords(inWords(atMs - nowMs - (performance.now() - madeAtMs)));
    tick();
    const timer = setInterval(tick, TICK_MS);
    return () => clearInterval(timer);
  }, [atMs, nowMs]);
  return <span aria-hidden="true">{words}</span>;
}

/** Up to this long after the instant "now" is shown, ms; later also how late it is. */
const LATE_MS = 5_000;

function inWords(aheadMs: number): string {
  if (aheadMs >= 1_000) return `in ${formatDuration(aheadMs)}`;
  return aheadMs > -LATE_MS ? "now" : `now, ${formatDuration(-aheadMs)} late`;
}

const TICK_MS = 250;
