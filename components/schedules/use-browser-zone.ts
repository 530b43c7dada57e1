"use client";

import { useEffect } from "react";
import type { TypedTime } from "#domain/chosen-time.ts";

/** Puts in the browser's own zone, unless one was known when the page was made. */
export function useBrowserZone(isKnown: boolean, set: (change: (typed: TypedTime) => TypedTime) => void): void {
  useEffect(() => {
    if (isKnown) return;
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    set((typed) => ({ ...typed, zone: timeZone }));
  }, [isKnown, set]);
}
