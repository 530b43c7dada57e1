import type { PauseInput, RecurrenceInput } from "../../../contract/inputs/recurrence-input.ts";
import { invalid } from "../../../contract/inputs/validate.ts";
import {
  endRejection,
  recurrenceEnded,
  recurrenceNotFound,
  spacingRejection,
  tooManyRecurrences,
} from "../../../contract/refusals.ts";
import { parseCron } from "../../../domain/cron.ts";
import { AppError } from "../../../domain/errors.ts";
import { hashShare, RECURRENCE_HEADER, spreadShareMs } from "../../../domain/recurrence.ts";
import { recurrenceSpacing } from "../../../domain/recurrence-spacing.ts";
import {
  LEFT_OUT_MAX,
  type LeftOut,
  leadOf,
  leftOutOnce,
  stepRecurrence,
  withoutRefused,
} from "../../../domain/recurrence-step.ts";
import { optionsOf, recurrenceFields } from "../../../domain/request-fields.ts";
import { findZone } from "../../../domain/zoned-time.ts";
import type { Account, Stored, StoredRecurrence } from "./account.ts";
import { checkDraft, draftOf, store } from "./create.ts";
import { cancel } from "./move.ts";

/** A recurrence as it is now, and what became of the occurrences that were made before. */
export type Changed = { recurrence: StoredRecurrence; taken: number; inFlight: number };

/** Stores a recurrence under a key, in place of the one that has it. The same request again changes nothing. */
export function putRecurrence(account: Account, key: string, body: RecurrenceInput): Changed & { isNew: boolean } {
  const { limits, settings, nowMs } = account;
  const { cron, onClockChange, overlap, catchUp, spreadMs, endsAt = null, name = null } = body;
  const { targetUrl, method, headers, payload } = body;
  const options = optionsOf(body);
  const parsed = parseCron(cron);
  if (!parsed.ok) throw new Error("a rule that the input has accepted cannot be read");
  const draft = draftOf(account, { targetUrl, method, headers, payload, ...options });
  const times = { rule: parsed.rule, zone: findZone(body.timezone) ?? body.timezone, onClockChange, endsAtMs: endsAt };
  const own = { cron, zone: times.zone, onClockChange, overlap, catchUp, spreadMs, endsAtMs: endsAt, name };
  const original = { ...own, targetUrl, method, headers, payload: payload ?? null, ...options };
  const compared = JSON.stringify(recurrenceFields(original, draft.target.ok ? draft.target.url : null));
  const old = account.recurrences.get(key);
  if (old?.compared === compared) return { recurrence: old, taken: 0, inFlight: 0, isNew: false };
  const id = old?.id ?? account.makeUuid();
  const shareMs = spreadShareMs(id, spreadMs);
  const { targetUrl: url } = checkDraft(account, draft);
  const rejection = spacingRejection(times.rule, limits, nowMs) ?? endRejection(times, { nowMs, shareMs });
  if (rejection) throw rejection;
  if (!old && account.recurrences.size >= limits.recurrencesMax) throw tooManyRecurrences(limits, settings.env);
  const { firstUnsentMs, ...taken } = takeBack(account, key);
  const kept = old ?? {
    id,
    key,
    createdMs: nowMs,
    status: "active",
    leftOut: [],
    pauseNote: null,
    pausedUntilMs: null,
    nextStepMs: null,
  };
  const recurrence: StoredRecurrence = {
    ...kept,
    ...own,
    ...times,
    ...{ draft, targetUrl: url, compared, shareMs, updatedMs: nowMs },
    leadMs: leadOf(recurrenceSpacing(times.rule, nowMs).shortestMs, hashShare(id)),
    // An instant that has passed and whose occurrence was taken back has been missed.
    madeUntilMs: Math.min(nowMs - shareMs, firstUnsentMs - 1),
  };
  account.recurrences.set(key, recurrence);
  if (recurrence.status !== "paused") step(account, recurrence);
  return { recurrence, ...taken, isNew: old === undefined };
}

export function findRecurrence(account: Account, key: string): StoredRecurrence {
  const found = account.recurrences.get(key);
  if (!found) throw recurrenceNotFound();
  return found;
}

export function deleteRecurrence(account: Account, key: string): Changed {
  const recurrence = findRecurrence(account, key);
  const { firstUnsentMs: _, ...taken } = takeBack(account, key);
  for (const made of occurrencesOf(account, key)) made.recurrence = null;
  account.recurrences.delete(key);
  return { recurrence, ...taken };
}

export function pauseRecurrence(account: Account, key: string, input: PauseInput): Changed {
  const { note = null, until = null } = input;
  const { nowMs } = account;
  const recurrence = findRecurrence(account, key);
  if (until !== null && until <= nowMs) throw invalid([{ path: "until", message: "must be in the future" }]);
  if (recurrence.status === "ended") throw recurrenceEnded("paused");
  const { firstUnsentMs: _, ...taken } = takeBack(account, key);
  const madeUntilMs = Math.min(recurrence.madeUntilMs, nowMs - recurrence.shareMs);
  const paused = { status: "paused", pauseNote: note, pausedUntilMs: until, nextStepMs: until } as const;
  Object.assign(recurrence, { ...paused, madeUntilMs, updatedMs: nowMs });
  return { recurrence, ...taken };
}

export function resumeRecurrence(account: Account, key: string): StoredRecurrence {
  const recurrence = findRecurrence(account, key);
  if (recurrence.status === "ended") throw recurrenceEnded("resumed");
  if (recurrence.status === "active") return recurrence;
  Object.assign(recurrence, { madeUntilMs: account.nowMs - recurrence.shareMs, updatedMs: account.nowMs });
  step(account, recurrence);
  return recurrence;
}

/** Runs the first step that is due until an instant, at its own. Returns whether there was one. */
export function stepFirst(account: Account, untilMs: number): boolean {
  let first: StoredRecurrence | undefined;
  for (const one of account.recurrences.values()) {
    if (nextStepOf(one) <= untilMs && (!first || nextStepOf(one) < nextStepOf(first))) first = one;
  }
  if (!first) return false;
  account.nowMs = Math.max(account.nowMs, nextStepOf(first));
  step(account, first);
  return true;
}

const nextStepOf = ({ nextStepMs }: StoredRecurrence) => nextStepMs ?? Number.POSITIVE_INFINITY;

/** Decides on an occurrence of a recurrence that must not overlap: it is left out when an earlier one is open as it falls due, at `atMs`. */
export function isLeftOut(account: Account, schedule: Stored, atMs: number): boolean {
  const { recurrence: key, occurrenceMs, isHeld } = schedule;
  const recurrence = key === null ? undefined : account.recurrences.get(key);
  if (!isHeld || !recurrence || occurrenceMs === null) return false;
  schedule.isHeld = false;
  const isEarlier = (other: Stored) => (other.occurrenceMs ?? occurrenceMs) < occurrenceMs && other.endedMs === null;
  if (!occurrencesOf(account, recurrence.key).some(isEarlier)) return false;
  account.nowMs = atMs;
  cancel(account, schedule);
  account.giveBack(schedule);
  leaveOut(recurrence, [leftOutOnce(occurrenceMs, "overlap")]);
  return true;
}

/** Makes what is to exist by now. One that was paused goes on from now: nothing was missed. */
function step(account: Account, recurrence: StoredRecurrence): void {
  const { nowMs } = account;
  const isPaused = recurrence.status === "paused";
  const madeUntilMs = isPaused ? Math.max(recurrence.madeUntilMs, nowMs - recurrence.shareMs) : recurrence.madeUntilMs;
  const isNew = isPaused || recurrence.nextStepMs === null;
  const planned = stepRecurrence({ ...recurrence, madeUntilMs, isNew }, nowMs);
  const refused = planned.make.map(({ atMs }) => atMs).filter((atMs) => !make(account, recurrence, atMs));
  const stepped = withoutRefused(planned, refused, { shareMs: recurrence.shareMs, nowMs });
  leaveOut(recurrence, stepped.leftOut);
  const { nextStepAtMs: nextStepMs } = stepped;
  const state = { status: nextStepMs === null ? "ended" : "active", pauseNote: null, pausedUntilMs: null } as const;
  Object.assign(recurrence, { ...state, madeUntilMs: stepped.madeUntilMs, nextStepMs });
}

/** Makes an occurrence. Returns false when the quota refuses it. */
function make(account: Account, recurrence: StoredRecurrence, atMs: number): boolean {
  const { key, draft, shareMs, overlap } = recurrence;
  const headers: Stored["headers"] = [...draft.headers, [RECURRENCE_HEADER, encodeURIComponent(key)]];
  try {
    const { schedule } = store(account, { ...draft, headers }, atMs + shareMs);
    Object.assign(schedule, { recurrence: key, occurrenceMs: atMs, isHeld: overlap === "skip" });
    return true;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "QUOTA_EXCEEDED") throw error;
    return false;
  }
}

/** Cancels the open occurrences that are not being sent. Those that have not left are given back to the quota. */
function takeBack(account: Account, key: string): { taken: number; inFlight: number; firstUnsentMs: number } {
  const made = occurrencesOf(account, key);
  const unsent = made.filter(({ status }) => status === "scheduled");
  const shareMs = account.recurrences.get(key)?.shareMs ?? 0;
  const waiting = made.filter(({ status }) => status === "failed");
  for (const schedule of [...unsent, ...waiting]) cancel(account, schedule);
  for (const schedule of unsent) account.giveBack(schedule);
  return {
    taken: unsent.length + waiting.length,
    inFlight: made.filter(({ status }) => status === "firing").length,
    // One that was moved no longer stands for its instant.
    firstUnsentMs: Math.min(
      ...unsent.flatMap(({ occurrenceMs, fireMs }) => (fireMs - shareMs === occurrenceMs ? [occurrenceMs] : [])),
    ),
  };
}

const occurrencesOf = (account: Account, key: string): Stored[] =>
  [...account.schedules.values()].filter(({ recurrence }) => recurrence === key);

function leaveOut(recurrence: StoredRecurrence, entries: readonly LeftOut[]): void {
  recurrence.leftOut = [...recurrence.leftOut, ...entries].slice(-LEFT_OUT_MAX);
}
