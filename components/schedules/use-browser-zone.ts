"use client";

import { useEffect } from "react";
import type { TypedTime } from "#domain/chosen-time.ts";

/**
 * Puts in the browser's own zone, unless one was known when the page was made (`isKnown`). A date and time that stand there
 * already keep the zone they were typed for.
 */
export function useBrowserZone(isKnown: boolean, change: (to: (typed: TypedTime) => TypedTime) => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as what is typed afterwards counts
  useEffect(() => {
    if (isKnown) return;
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    change((typed) => (typed.at === "" ? { ...typed, zone: timeZone } : typed));
  }, []);
}
