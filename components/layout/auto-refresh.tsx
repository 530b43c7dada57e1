"use client";

import { useRouter } from "next/navigation";
import { useEffect, useRef, useState, useTransition } from "react";
import { formatDuration } from "../format/duration.ts";
import { RefreshState } from "./refresh-state.tsx";

/** Why the refresh waits although it is not paused. */
type Hold = "selection" | "overlay" | "no-answer" | null;

/**
 * Renders the page again on the server every `everyS` seconds, and keeps focus, scroll position and typed text. `at` is
 * when the page was rendered (epoch ms); `href` is its own URL, for the link that replaces the refresh without scripts.
 * It waits while the tab is hidden, a box within `[data-selection]` is ticked, or a dialog is open. Pausing it applies
 * to all pages of the tab.
 */
export function AutoRefresh({ at, href, everyS = 5 }: { at: number; href: string; everyS?: number }) {
  const router = useRouter();
  const [isPaused, setPaused] = useState(false);
  const [ageMs, setAgeMs] = useState(0);
  const [hold, setHold] = useState<Hold>(null);
  const [isRefreshing, startRefresh] = useTransition();
  const shownAtMs = useRef(0);
  const isAsking = useRef(false);

  useEffect(() => setPaused(sessionStorage.getItem(MEMORY) === "paused"), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a page that was rendered again is fresh
  useEffect(() => {
    shownAtMs.current = performance.now();
    setAgeMs(0);
  }, [at]);

  useEffect(() => {
    const tick = async () => {
      const age = performance.now() - shownAtMs.current;
      setAgeMs(age);
      const held = findHold();
      setHold((before) => held ?? (before === "no-answer" ? before : null));
      const isDue = !isPaused && !held && !document.hidden && age >= everyS * 1_000;
      if (!isDue || isRefreshing || isAsking.current) return;
      isAsking.current = true;
      const isThere = await answers();
      isAsking.current = false;
      setHold(isThere ? null : "no-answer");
      if (isThere) startRefresh(() => router.refresh());
    };
    const timer = setInterval(tick, TICK_MS);
    document.addEventListener("visibilitychange", tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", tick);
    };
  }, [everyS, isPaused, isRefreshing, router]);

  const toggle = () => {
    sessionStorage.setItem(MEMORY, isPaused ? "running" : "paused");
    setPaused(!isPaused);
  };
  return (
    <>
      <span className="inline-flex noscript:hidden">
        <RefreshState
          at={at}
          words={isPaused ? "Refresh paused" : wordsOf(hold, ageMs)}
          isPaused={isPaused}
          isHeld={isPaused || hold !== null}
          onToggle={toggle}
        />
      </span>
      <a href={href} className="hidden min-h-6 items-center text-accent text-xs hover:underline noscript:inline-flex">
        Refresh
      </a>
    </>
  );
}

const TICK_MS = 1_000;
const MEMORY = "auto-refresh";

function findHold(): Hold {
  if (document.querySelector("[data-selection] input:checked")) return "selection";
  return document.querySelector("dialog[open], :popover-open") ? "overlay" : null;
}

// Ask first: a refresh without a reachable server makes the browser replace the page by its own error page.
async function answers(): Promise<boolean> {
  try {
    return (await fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(4_000) })).ok;
  } catch {
    return false;
  }
}

function wordsOf(hold: Hold, ageMs: number): string {
  if (hold === "selection") return "Paused while something is selected";
  if (hold === "overlay") return "Paused while this is open";
  if (hold === "no-answer") return "Not refreshed: the server does not answer";
  return ageMs < 1_000 ? "Updated now" : `Updated ${formatDuration(ageMs, 1)} ago`;
}
