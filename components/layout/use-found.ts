import { useEffect, useState } from "react";
import { type Environment, environmentQuery } from "#domain/environment.ts";
import type { ScheduleStatus } from "#domain/states.ts";
import { formatRelative } from "../format/duration.ts";
import { requestName } from "../format/request-name.ts";
import { capitalised, statusWord } from "../format/status-word.ts";
import type { Command } from "./commands.ts";

/** The answer of `/find`. */
type Answer = {
  schedules: readonly {
    id: string;
    env: Environment;
    by: "id" | "key" | "url";
    method: string;
    url: string;
    status: ScheduleStatus;
    fireAt: string;
  }[];
  docs: readonly { title: string; href: string }[];
};

/** Where the search for a typed text is. */
export type Finding =
  | { state: "idle" | "searching" | "failed" }
  | { state: "found"; commands: readonly Command[]; schedules: number };

/** Shorter texts find too much. */
const CHARS_MIN = 3;
const TYPING_MS = 150;
const ANSWER_MS = 8_000;

/**
 * Searches for the schedules and pages of the documentation that the typed text may mean, once typing pauses. Another text cancels
 * the search.
 */
export function useFound(typed: string, env: Environment): Finding {
  const [finding, setFinding] = useState<Finding>({ state: "idle" });
  const text = typed.trim();
  useEffect(() => {
    if (text.length < CHARS_MIN) return setFinding({ state: "idle" });
    setFinding({ state: "searching" });
    const cancel = new AbortController();
    const search = async () => {
      const signal = AbortSignal.any([cancel.signal, AbortSignal.timeout(ANSWER_MS)]);
      const next = await ask(text, env, signal).catch((): Finding => ({ state: "failed" }));
      if (!cancel.signal.aborted) setFinding(next);
    };
    const timer = setTimeout(search, TYPING_MS);
    return () => {
      clearTimeout(timer);
      cancel.abort();
    };
  }, [text, env]);
  return finding;
}

async function ask(q: string, env: Environment, signal: AbortSignal): Promise<Finding> {
  const query = new URLSearchParams({ q, ...environmentQuery(env) });
  const answer = await fetch(`/find?${query}`, { cache: "no-store", signal });
  if (!answer.ok) return { state: "failed" };
  const { schedules, docs }: Answer = await answer.json();
  const now = new Date();
  const found = schedules.map((one) => commandOf(one, env, now));
  const pages = docs.map(({ title, href }) => ({ group: "Documentation", label: title, href }));
  return { state: "found", commands: [...found, ...pages], schedules: schedules.length };
}

function commandOf(
  { id, env, by, method, url, status, fireAt }: Answer["schedules"][number],
  here: Environment,
  now: Date,
): Command {
  const query = new URLSearchParams(environmentQuery(env)).toString();
  const facts = [
    ...(by === "key" ? ["by its idempotency key"] : []),
    ...(env === here ? [] : [env]),
    `${statusWord(status)}, due ${formatRelative(new Date(fireAt), now)}`,
  ];
  return {
    group: capitalised(facts.join(" · ")),
    label: requestName(method, url),
    href: `/schedules/${id}${query && `?${query}`}`,
  };
}
