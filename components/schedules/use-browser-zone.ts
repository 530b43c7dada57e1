"use client";

import { useEffect } from "react";
import type { TypedTime } from "#domain/chosen-time.ts";

/**
 * Fills in the browser's zone, unless one was known when the page was rendered (`isKnown`). A date and time that were
 * already typed keep their zone.
 */
export function useBrowserZone(isKnown: boolean, change: (to: (typed: TypedTime) => TypedTime) => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once: later input wins
  useEffect(() => {
    if (isKnown) return;
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    change((typed) => (typed.at === "" ? { ...typed, zone: timeZone } : typed));
  }, []);
}
