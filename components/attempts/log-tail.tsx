"use client";

import { ArrowUp, Pause, Play } from "lucide";
import { useEffect, useState } from "react";
import { formatCount } from "../format/number.ts";
import { Beat } from "../ui/beat.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";

const EVERY_MS = 5_000;
const EVERY_MS_MAX = 60_000;
const ANSWER_MS = 8_000;

type State = "counting" | "no-answer" | "signed-out";

/**
 * Counts the newer attempts every five seconds while the page is visible, and offers to show them. Until then the log
 * does not change, and screen readers announce nothing. `countHref` returns the current count, `known` is the count
 * when the page was made; null means more than is counted. Without scripts it is a link.
 */
export function LogTail({ countHref, known, listHref }: { countHref: string; known: number | null; listHref: string }) {
  const [isOn, setOn] = useState(true);
  const [count, setCount] = useState(known);
  const [state, setState] = useState<State>("counting");
  const [looks, setLooks] = useState(0);
  const isMany = count === null;
  useEffect(() => {
    if (!isOn || isMany || state === "signed-out") return;
    let waitMs = EVERY_MS;
    let timer: ReturnType<typeof setTimeout>;
    const stopped = new AbortController();
    const look = async () => {
      if (!document.hidden) {
        const found = await ask(countHref, stopped.signal);
        if (stopped.signal.aborted) return;
        if (found === "signed-out") return setState("signed-out");
        waitMs = found === "no-answer" ? Math.min(waitMs * 2, EVERY_MS_MAX) : EVERY_MS;
        setState(found === "no-answer" ? "no-answer" : "counting");
        if (found !== "no-answer") {
          setCount(found.count);
          setLooks((before) => before + 1);
        }
      }
      timer = setTimeout(look, waitMs);
    };
    timer = setTimeout(look, waitMs);
    return () => {
      stopped.abort();
      clearTimeout(timer);
    };
  }, [isOn, isMany, state, countHref]);

  const newer = count === null ? null : Math.max(0, count - (known ?? 0));
  return (
    <div className="flex min-h-9 flex-wrap items-center justify-between gap-x-3 border-line border-b bg-sunken px-4 py-1 text-xs">
      <span className="inline-flex items-center gap-2 text-ink-muted noscript:hidden">
        <Beat of={looks} isOn={isOn && state === "counting"} />
        {isOn ? WORDS[state] : "Live tail is paused"}
        <Button
          kind="ghost"
          size="small"
          square
          aria-label={isOn ? "Pause live tail" : "Resume live tail"}
          title={isOn ? "Pause live tail" : "Resume live tail"}
          onClick={() => setOn(!isOn)}
        >
          <Icon of={isOn ? Pause : Play} small />
        </Button>
      </span>
      <a href={listHref} className="hidden min-h-6 items-center text-accent hover:underline noscript:inline-flex">
        Reload
      </a>
      {newer === 0 ? (
        <span className="text-ink-muted noscript:hidden">Nothing new</span>
      ) : (
        <a
          href={listHref}
          className="inline-flex min-h-6 items-center gap-1.5 font-medium text-accent hover:underline noscript:hidden"
        >
          <Icon of={ArrowUp} small />
          {newer === null
            ? "Show new attempts"
            : `Show ${formatCount(newer)} new ${newer === 1 ? "attempt" : "attempts"}`}
        </a>
      )}
    </div>
  );
}

const WORDS: Record<State, string> = {
  counting: "Live tail",
  "no-answer": "The server does not answer",
  "signed-out": "You are signed out",
};

async function ask(href: string, stopped: AbortSignal): Promise<{ count: number | null } | "no-answer" | "signed-out"> {
  try {
    const answer = await fetch(href, {
      cache: "no-store",
      signal: AbortSignal.any([stopped, AbortSignal.timeout(ANSWER_MS)]),
    });
    if (answer.status === 401) return "signed-out";
    if (!answer.ok) return "no-answer";
    return (await answer.json()) as { count: number | null };
  } catch {
    return "no-answer";
  }
}
