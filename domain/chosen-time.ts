import { DURATION_MS_MAX, DURATION_MS_MIN, writeDuration } from "./duration.ts";
import { resolveFireTime } from "./fire-time.ts";
import { formatInstant } from "./instant.ts";
import { type LocalTime, parseLocalTime, writeLocalTime } from "./local-time.ts";
import { readWhen, type When } from "./when-text.ts";
import { findZone, localTimeAt, resolveLocalTime, type ZonedTime } from "./zoned-time.ts";

/** A time as it was typed: in words, or as date and time (`2026-03-30 09:00:00`) in a zone. */
export type TypedTime = {
  words: string;
  at: string;
  zone: string;
  /** Which instant is meant when the clocks of the zone show this time twice. */
  occurrence: "first" | "second";
};

export type ChosenTime =
  | {
      ok: true;
      epochMs: number;
      /** The wait from now, ms, when the words name one ("in 5m"); otherwise null. */
      waitMs: number | null;
      /** The IANA name of the zone. */
      zone: string;
      /** The typed local time and its instants in the zone; null for words that name an instant. */
      typed: { local: LocalTime; zoned: ZonedTime } | null;
    }
  | { ok: false; field: "words" | "at" | "zone"; message: string };

/** As `chooseTime`, for a field of words alone, whose times of day are in `zone`. */
export function chooseWords(words: string, zone: string, nowMs: number): ChosenTime {
  return chooseTime({ words, at: "", zone, occurrence: "first" }, nowMs);
}

/**
 * The instant that was typed, with `nowMs` as the current time. Words win over date and time. It may be in the past.
 */
export function chooseTime(given: TypedTime, nowMs: number): ChosenTime {
  const zone = findZone(given.zone);
  if (zone === null) return fault("zone", "There is no such zone. Write one such as Europe/Berlin or UTC.");
  const words = given.words.trim();
  if (words === "" && given.at.trim() === "") return fault("words", "Say when, in words or as date and time.");
  const when = words === "" ? readAt(given.at, { nowMs, zone }) : readWhen(words, { nowMs, zone });
  const field = words === "" ? "at" : "words";
  if (when.kind === "fault") return fault(field, when.message);
  if (when.kind === "local") return chooseLocal(when.local, { ...given, zone }, field);
  if (when.kind === "wait") return chooseWait(when.ms, { nowMs, zone, field });
  return { ok: true, epochMs: when.epochMs, waitMs: null, zone, typed: null };
}

/**
 * A chosen time as a field of an API call. Words such as "in 5m" are a duration, so that the database's clock decides when
 * it ends.
 */
export function timeFieldOf({ epochMs, waitMs }: Extract<ChosenTime, { ok: true }>): TimeField {
  return waitMs === null ? { fireAt: formatInstant(epochMs) } : { fireIn: writeDuration(waitMs) };
}

export type TimeField = { fireAt: string } | { fireIn: string };

/** An instant as a person would type it: date and time in a zone, or RFC 3339 where it has milliseconds. */
export function timeOf(at: Date, zone: string): TypedTime {
  const local = localTimeAt(at.getTime(), zone);
  const zoned = resolveLocalTime(local, zone);
  const isWhole = at.getUTCMilliseconds() === 0;
  return {
    words: isWhole ? "" : at.toISOString(),
    at: isWhole ? writeLocalTime(local).replace("T", " ") : "",
    zone,
    occurrence: zoned.kind === "overlap" && zoned.secondMs === at.getTime() ? "second" : "first",
  };
}

/** The next whole second (epoch ms) at or after an instant: forms round waits up to it. */
export function wholeSecond(epochMs: number): number {
  return Math.ceil(epochMs / 1_000) * 1_000;
}

function chooseLocal(local: LocalTime, { zone, occurrence }: TypedTime, field: "words" | "at"): ChosenTime {
  const resolved = resolveFireTime({ local, ms: 0, zone, onClockChange: occurrence });
  if (!resolved.ok) return fault(field, "Years after 9999 are not supported.");
  return { ok: true, epochMs: resolved.atMs, waitMs: null, zone, typed: { local, zoned: resolved.zoned } };
}

function chooseWait(
  waitMs: number,
  { nowMs, zone, field }: { nowMs: number; zone: string; field: "words" | "at" },
): ChosenTime {
  if (waitMs < DURATION_MS_MIN) return fault(field, "This is less than a second from now.");
  if (waitMs > DURATION_MS_MAX) return fault(field, "This is more than a thousand years from now.");
  return { ok: true, epochMs: wholeSecond(nowMs + waitMs), waitMs, zone, typed: null };
}

/** The field of date and time, which takes words too: people type `noon` into either. */
function readAt(text: string, clock: { nowMs: number; zone: string }): When {
  const local = parseLocalTime(text.trim().replace(/ +/, "T"));
  if (local !== null) return { kind: "local", local };
  const when = readWhen(text, clock);
  if (when.kind !== "fault" || text.trim() === "") return when;
  return { kind: "fault", message: "This is not a date and time. Write one such as 2026-03-30 09:00." };
}

function fault(field: "words" | "at" | "zone", message: string): ChosenTime {
  return { ok: false, field, message };
}
