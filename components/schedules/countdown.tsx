"use client";

import { useEffect, useState } from "react";
import { formatDuration } from "../format/duration.ts";

/**
 * How long it is until `atMs`, each second anew, seen from `nowMs`, when the page was made (epoch ms): the server's clock
 * counts, not the browser's. Screen readers do not hear it: give them the instant beside it. Without scripts it stands still.
 */
export function Countdown({ atMs, nowMs }: { atMs: number; nowMs: number }) {
  const [aheadMs, setAheadMs] = useState(atMs - nowMs);
  useEffect(() => {
    const madeAtMs = performance.now();
    const tick = () => setAheadMs(atMs - nowMs - (performance.now() - madeAtMs));
    tick();
    const timer = setInterval(tick, TICK_MS);
    return () => clearInterval(timer);
  }, [atMs, nowMs]);
  return <span aria-hidden="true">{inWords(aheadMs)}</span>;
}

/** Until then a schedule whose instant has passed is taken to be about to leave, ms. */
const LATE_MS = 5_000;

function inWords(aheadMs: number): string {
  if (aheadMs >= 1_000) return `in ${formatDuration(aheadMs)}`;
  return aheadMs > -LATE_MS ? "now" : `now, ${formatDuration(-aheadMs)} late`;
}

const TICK_MS = 250;
