import type { Attempt, AttemptTiming, Schedule } from "../../../sdk/src/types.ts";
import { outcomeOf } from "./outcome.ts";
import { duration } from "./words.ts";

type Context = { schedule: Schedule; at: (instant: string) => string; quote: (text: string) => string };

/** One attempt: when, where its time went, what the target said, and what to do about that. */
export function explainAttempt(attempt: Attempt, { schedule, at, quote }: Context): string[] {
  const via = attempt.via === "listener" ? " through `stopwatch listen`" : "";
  const head = `Attempt ${attempt.attempt}, ${at(attempt.attempted_at)}${via}: ${endOf(attempt, quote)}.`;
  const { status_code, error_text } = attempt;
  const answer = status_code !== null && error_text !== "" ? [`The target said ${quote(error_text)}.`] : [];
  const hint = hintFor(attempt);
  const inside = [...timeLines(attempt, schedule), ...answer, ...(hint === undefined ? [] : [hint])];
  return [head, ...inside.map((line) => `  ${line}`)];
}

function endOf(attempt: Attempt, quote: Context["quote"]): string {
  const { status_code, error_text, latency_ms } = attempt;
  switch (outcomeOf(attempt)) {
    case "delivered":
      return `delivered, ${status_code} after ${latency_ms} ms`;
    case "rejected":
      return `refused, ${status_code} after ${latency_ms} ms`;
    case "interrupted":
      return "interrupted, and nobody knows whether the target was reached";
    case "blocked":
      return "not sent, because the target is not allowed";
    case "unreachable":
      // Without a listener the text is the dispatcher's own.
      return `no answer (${attempt.via === "listener" ? quote(error_text) : error_text})`;
  }
}

function timeLines({ timing, status_code, latency_ms, via }: Attempt, { early_fire }: Schedule): string[] {
  if (timing.late === null) return [];
  return [
    lateLine(timing.late, early_fire),
    ...partLines(timing, status_code !== null && via === null),
    ...restLine(timing),
    ...answerLines(timing, status_code, latency_ms),
  ];
}

function lateLine(late: number, earlyFire: boolean): string {
  if (late < 0) return `It began ${duration(late)} before it was due${earlyFire ? ", which is its early firing" : ""}.`;
  return late === 0 ? "It began exactly when it was due." : `It began ${duration(late)} after it was due.`;
}

/** What the dispatcher waited for. Connecting and claiming may overlap, and may lie before the instant. */
function partLines({ late, claim, wait, connect }: AttemptTiming, hadConnection: boolean): string[] {
  const parts = [
    wait ? `It waited ${duration(wait)} for the account's rate (cpsLimit).` : null,
    connect !== null ? `Name, TCP and TLS took ${duration(connect)}.` : null,
    claim !== null ? `The database took ${duration(claim)} to hand it over (the claim).` : null,
  ].filter((part) => part !== null);
  const isOpen = connect === null && hadConnection ? ["Its connection was open already."] : [];
  const known = (connect ?? 0) + (claim ?? 0) + (wait ?? 0);
  if (known <= (late ?? 0) + 0.05) return [...parts, ...isOpen];
  const note =
    parts.length > 1
      ? "These overlap, or lie in part before the instant, where they cost nothing."
      : "Part of that lay before the instant, where it costs nothing.";
  return [...parts, note, ...isOpen];
}

/** The lateness that no part explains. */
function restLine({ late, claim, wait, connect }: AttemptTiming): string[] {
  const rest = (late ?? 0) - (claim ?? 0) - (wait ?? 0) - (connect ?? 0);
  if (rest < 0.05) return [];
  if (rest < BUSY_MS) return [`The other ${duration(rest)} were the dispatcher's own work.`];
  return [
    `The other ${duration(rest)} are none of these: no dispatcher ran, it was busy, its connections to this target were all in use, or the account was deactivated.`,
  ];
}

const BUSY_MS = 1_000;

function answerLines({ first_byte }: AttemptTiming, status: number | null, latencyMs: number): string[] {
  if (status === null) return latencyMs > 0 ? [`It ended ${duration(latencyMs)} after its first byte had left.`] : [];
  if (first_byte === null) return [];
  const rest = latencyMs - first_byte;
  const tail = rest >= 2 ? `, and its status line was complete ${duration(rest)} later` : "";
  return [`The target began to answer ${duration(first_byte)} after the request's first byte had left${tail}.`];
}

/** What to look at, for answers with a usual cause. */
function hintFor({ status_code: status, error_text: text }: Attempt): string | undefined {
  if (status === null) return NO_ANSWER_HINTS.find(([pattern]) => pattern.test(text))?.[1];
  if (status >= 300 && status < 400) return "Redirects are not followed: schedule the address that it leads to.";
  return STATUS_HINTS[status];
}

const STATUS_HINTS: Readonly<Record<number, string>> = {
  400: "Check the payload and its Content-Type: none is added.",
  401: "Is it the signature? `stopwatch verify` takes the captured request and says what is wrong.",
  403: "Is it the signature? `stopwatch verify` takes the captured request and says what is wrong.",
  404: "Check the path of the target.",
  405: "Check the method of the schedule.",
  410: "410 says never again: no retry follows.",
  413: "The target takes no payload of this size.",
  415: "Check the Content-Type of the schedule: none is added.",
  429: "If the answer has a Retry-After, the next attempt waits for it, up to two hours more than it would have.",
  503: "If the answer has a Retry-After, the next attempt waits for it, up to two hours more than it would have.",
};

const NO_ANSWER_HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /^interrupted:/,
    "Its dispatcher was lost between sending and recording. The attempt is repeated, and uses up no retry.",
  ],
  [
    /^blocked:/,
    "The target's address is private or reserved. An operator can allow exact targets with DELIVERY_ALLOW.",
  ],
  [/no listener is connected/, "Start `stopwatch listen`: the retry then reaches this machine."],
  [/the local server did not answer/, "Look at the server that `stopwatch listen` forwards to."],
  [/the listener left/, "`stopwatch listen` ended before it had answered."],
  [/^no answer within/, "Answer first, and do what takes longer afterwards."],
  [/^name resolution/, "The name of the target cannot be resolved where the dispatcher runs."],
  [/ECONNREFUSED/, "Nothing listens at the target's port."],
  [/^connection: timed out/, "The target's host takes no connection: is it down, or behind a firewall?"],
  [/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/, "The target's TLS certificate is not trusted, or names another host."],
  [/client certificate/, "Stopwatch has no client certificate to show."],
];
