import { readWhen } from "./when-text.ts";
import {
  findZone,
  firstInstantOf,
  type LocalTime,
  localTimeAt,
  parseLocalTime,
  resolveLocalTime,
  writeLocalTime,
  type ZonedTime,
} from "./zoned-time.ts";

/** A time as it was typed: in words, or as date and time (`2026-03-30T09:00:00`) in a zone. */
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
      /** The IANA name of the zone. */
      zone: string;
      /** The typed local time and its instants in the zone; null for words that name an instant. */
      typed: { local: LocalTime; zoned: ZonedTime } | null;
    }
  | { ok: false; field: "words" | "at" | "zone"; message: string };

/**
 * The instant that was typed, with `nowMs` as the current time. Words win over date and time. It may be in the past.
 */
export function chooseTime(given: TypedTime, nowMs: number): ChosenTime {
  const zone = findZone(given.zone);
  if (zone === null) return fault("zone", "There is no such zone. Write one such as Europe/Berlin or UTC.");
  const words = given.words.trim();
  if (words === "" && given.at === "") return fault("words", "Say when, in words or as date and time.");
  const when = words === "" ? readAt(given.at) : readWhen(words, { nowMs, zone });
  if (when.kind === "fault") return fault(words === "" ? "at" : "words", when.message);
  if (when.kind === "instant")
    return within({ ok: true, epochMs: Math.ceil(when.epochMs), zone, typed: null }, "words");
  const zoned = resolveLocalTime(when.local, zone);
  const epochMs = zoned.kind === "overlap" && given.occurrence === "second" ? zoned.secondMs : firstInstantOf(zoned);
  return within({ ok: true, epochMs, zone, typed: { local: when.local, zoned } }, words === "" ? "at" : "words");
}

/** An instant as a person would type it: date and time in a zone, or RFC 3339 where it has milliseconds. */
export function timeOf(at: Date, zone: string): TypedTime {
  const local = localTimeAt(at.getTime(), zone);
  const zoned = resolveLocalTime(local, zone);
  const isWhole = at.getUTCMilliseconds() === 0;
  return {
    words: isWhole ? "" : at.toISOString(),
    at: isWhole ? writeLocalTime(local) : "",
    zone,
    occurrence: zoned.kind === "overlap" && zoned.secondMs === at.getTime() ? "second" : "first",
  };
}

const YEAR_9999_END_MS = 253_402_300_799_999;

function within(chosen: Extract<ChosenTime, { ok: true }>, field: "words" | "at"): ChosenTime {
  return chosen.epochMs <= YEAR_9999_END_MS ? chosen : fault(field, "The year 9999 is the last there is here.");
}

function readAt(text: string) {
  const local = parseLocalTime(text);
  return local === null
    ? ({ kind: "fault", message: "This is no date and time. Write one such as 2026-03-30T09:00:00." } as const)
    : ({ kind: "local", local } as const);
}

function fault(field: "words" | "at" | "zone", message: string): ChosenTime {
  return { ok: false, field, message };
}
