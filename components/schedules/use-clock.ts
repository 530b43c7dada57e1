"use client";

import { useEffect, useState } from "react";

/** The current time, epoch ms, updated every second: counted from when the page was rendered, so by the server's clock. */
export function useClock(madeAtMs: number): number {
  const [nowMs, setNowMs] = useState(madeAtMs);
  useEffect(() => {
    const startedMs = performance.now();
    const timer = setInterval(() => setNowMs(madeAtMs + performance.now() - startedMs), 1_000);
    return () => clearInterval(timer);
  }, [madeAtMs]);
  return nowMs;
}
