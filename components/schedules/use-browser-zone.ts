"use client";

import { useEffect } from "react";
import type { TypedTime } from "#domain/chosen-time.ts";

/**
 * Fills in the browser's zone in place of `fallback`, the zone of a page that was rendered without knowing it; null when it
 * was known. A zone that was already typed stays, and a date and time that were already typed keep theirs.
 */
export function useBrowserZone(fallback: string | null, change: (to: (typed: TypedTime) => TypedTime) => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once: later input wins
  useEffect(() => {
    if (fallback === null) return;
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    change((typed) => (typed.at === "" && typed.zone === fallback ? { ...typed, zone: timeZone } : typed));
  }, []);
}
