import { YEAR_9999_END_MS } from "./instant.ts";
import { type LocalTime, writeLocalTime } from "./local-time.ts";
import { firstInstantOf, resolveLocalTime, secondInstantOf, type ZonedTime } from "./zoned-time.ts";

/**
 * When a schedule is to fire: at an instant (epoch ms), or a number of whole ms from now by the database's clock, where
 * 0 is now.
 */
export type FireTime = { atMs: number } | { inMs: number };

export const NOW: FireTime = { inMs: 0 };

/** What to do with a local time that the clocks of its zone skip or repeat: take the first or second instant, or refuse. */
export const ON_CLOCK_CHANGE = ["first", "second", "refuse"] as const;

export type OnClockChange = (typeof ON_CLOCK_CHANGE)[number];

/** A local time in an IANA zone. `ms` is the fraction of its second, 0 to 1000. */
export type ZonedFireTime = { local: LocalTime; ms: number; zone: string; onClockChange: OnClockChange };

/** When a schedule fires, as its owner specified it. */
export type GivenTime = FireTime | ZonedFireTime;

/** Whether the clocks of the zone skip a local time, repeat it, or neither. */
export type ClockChange = "gap" | "repeat" | null;

/**
 * The instant (epoch ms) of a local time in a zone, the change of the clocks at it, and all its instants. In a gap it is
 * the one by the offset before the change, whether the first or the second was asked for. With `refuse`, gaps and repeats
 * have no instant but a message; so have times after the year 9999 (UTC). Throws a RangeError for a zone that does not
 * exist.
 */
export function resolveFireTime(
  given: ZonedFireTime,
): { ok: true; atMs: number; clockChange: ClockChange; zoned: ZonedTime } | { ok: false; message: string } {
  const { local, ms, zone, onClockChange } = given;
  const zoned = resolveLocalTime(local, zone);
  if (onClockChange === "refuse" && zoned.kind === "gap") {
    const [from, to] = [zoned.from, zoned.to].map(writeLocalTime);
    return { ok: false, message: `does not exist there: the clocks go from ${from} to ${to}` };
  }
  if (onClockChange === "refuse" && zoned.kind === "overlap") {
    const [first, second] = [zoned.firstMs, zoned.secondMs].map((epochMs) => new Date(epochMs + ms).toISOString());
    return {
      ok: false,
      message: `comes twice there, at ${first} and ${second}: choose one with fireAt or onClockChange`,
    };
  }
  const atMs = (onClockChange === "second" ? secondInstantOf(zoned) : firstInstantOf(zoned)) + ms;
  if (atMs > YEAR_9999_END_MS) return { ok: false, message: "must be at most 9999-12-31T23:59:59.999 in UTC" };
  return { ok: true, atMs, clockChange: CHANGES[zoned.kind], zoned };
}

const CHANGES = { once: null, gap: "gap", overlap: "repeat" } as const satisfies Record<string, ClockChange>;
