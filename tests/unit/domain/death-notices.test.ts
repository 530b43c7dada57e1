import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addDeaths,
  type Death,
  type DeathGroup,
  LINES_MAX,
  makeNotice,
  NO_DEATHS,
  noticeDueAtMs,
  noticeSent,
} from "#domain/death-notices.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const T0 = Date.UTC(2026, 2, 4, 14, 29);

const death = (atMs: number, target = "hooks.example.com", other: Partial<Death> = {}): Death => {
  return { target, code: 410, error: null, dueMs: atMs, atMs, ...other };
};

/**
 * Replays deaths at the given instants; each notice is sent as soon as it is due. Returns when each was sent and for
 * how many deaths.
 */
function live(deathsAtMs: number[]): { atMs: number; n: number; intervalMs: number }[] {
  const made: { atMs: number; n: number; intervalMs: number }[] = [];
  let group: DeathGroup = NO_DEATHS;
  const upTo = (untilMs: number) => {
    const dueMs = noticeDueAtMs(group);
    if (dueMs === null || dueMs > untilMs) return;
    const { notice, group: after } = makeNotice(group, dueMs);
    if (notice) made.push({ atMs: dueMs, n: notice.n, intervalMs: notice.intervalMs });
    group = after;
  };
  for (const atMs of deathsAtMs.toSorted((a, b) => a - b)) {
    upTo(atMs);
    group = addDeaths(group, [death(atMs)]);
  }
  upTo(Number.POSITIVE_INFINITY);
  return made;
}

describe("notices of dead schedules", () => {
  test("come first two minutes after the first death, with all deaths until then", () => {
    expect(live([T0, T0 + MINUTE, T0 + 119_000])).toEqual([{ atMs: T0 + 2 * MINUTE, n: 3, intervalMs: 15 * MINUTE }]);
  });

  test("come after 15, 30, 60 minutes and so on up to 24 hours, while schedules go on dying", () => {
    const made = live(Array.from({ length: 5 * 24 * 60 }, (_, minute) => T0 + minute * MINUTE));
    const waits = made.slice(1).map(({ atMs }, at) => (atMs - (made[at]?.atMs ?? 0)) / MINUTE);
    expect(waits.slice(0, 9)).toEqual([15, 30, 60, 120, 240, 480, 960, 1_440, 1_440]);
  });

  test("wait two minutes for further deaths when the first death comes after the interval", () => {
    expect(live([T0, T0 + HOUR]).map(({ atMs }) => atMs)).toEqual([T0 + 2 * MINUTE, T0 + HOUR + 2 * MINUTE]);
  });

  test("start again with the shortest interval after six hours without a death, and not before", () => {
    const intervals = (quietMs: number) =>
      live([T0, T0 + 3 * MINUTE, T0 + 3 * MINUTE + quietMs]).map((one) => one.intervalMs);
    expect(intervals(7 * HOUR)).toEqual([15 * MINUTE, 30 * MINUTE, 15 * MINUTE]);
    expect(intervals(5 * HOUR)).toEqual([15 * MINUTE, 30 * MINUTE, HOUR]);
  });

  test("count the interval from when the last notice was sent, however late that was", () => {
    const { group } = makeNotice(addDeaths(NO_DEATHS, [death(T0)]), T0 + 2 * MINUTE);
    const waiting = addDeaths(group, [death(T0 + 5 * MINUTE)]);
    expect(noticeDueAtMs(waiting)).toBe(T0 + 17 * MINUTE);
    expect(noticeDueAtMs(noticeSent(waiting, T0 + 3 * HOUR))).toBe(T0 + 3 * HOUR + 15 * MINUTE);
  });

  test("contain each death once, and are at least 15 minutes apart", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 72 * 60 }), { minLength: 1, maxLength: 200 }), (minutes) => {
        const made = live(minutes.map((minute) => T0 + minute * MINUTE));
        expect(made.reduce((sum, { n }) => sum + n, 0)).toBe(minutes.length);
        for (const [at, { atMs }] of made.slice(1).entries())
          expect(atMs - (made[at]?.atMs ?? 0)).toBeGreaterThanOrEqual(15 * MINUTE);
      }),
    );
  });

  test("list up to twenty groups, and count the rest", () => {
    const deaths = Array.from({ length: 100 }, (_, at) => death(T0 + at, `host-${at % 25}.example.com`));
    const { notice } = makeNotice(addDeaths(addDeaths(NO_DEATHS, deaths.slice(0, 7)), deaths.slice(7)), T0 + HOUR);
    expect(notice).toMatchObject({ n: 100, sinceMs: T0, others: 20 });
    expect(notice?.lines).toHaveLength(LINES_MAX);
    expect(notice?.lines.every(({ n }) => n === 4)).toBe(true);
  });

  test("group deaths as the overview does: by target, code and time due, whenever and in whichever order they died", () => {
    const due = (dueMs: number, atMs: number, other: Partial<Death> = {}) =>
      death(atMs, undefined, { dueMs, ...other });
    const linesOf = (...batches: Death[][]) => batches.reduce(addDeaths, NO_DEATHS).waiting?.lines ?? [];
    const one = { target: "hooks.example.com", code: 410, answer: "410 Gone" };
    const apart = [due(T0, T0 + HOUR), due(T0 + HOUR + 1, T0 + HOUR + 1)];
    expect(linesOf(apart)).toEqual([
      { ...one, n: 1, fromMs: T0, toMs: T0 },
      { ...one, n: 1, fromMs: T0 + HOUR + 1, toMs: T0 + HOUR + 1 },
    ]);
    const whole = { ...one, n: 3, fromMs: T0, toMs: T0 + HOUR + 1 };
    expect(linesOf(apart, [due(T0 + 7, T0 + 2 * HOUR)])).toEqual([whole]);
    expect(linesOf([due(T0 + 7, T0 + 2 * HOUR)], apart.toReversed())).toEqual([whole]);
    const codes = [
      due(T0, T0, { code: 500 }),
      due(T0, T0),
      due(T0, T0, { code: null, error: "no answer within 30 s" }),
    ];
    expect(linesOf(codes).map(({ answer }) => answer)).toEqual([
      "500 Internal Server Error",
      "410 Gone",
      "no answer within 30 s",
    ]);
  });

  test("say the newest answer that has a text", () => {
    const said = (...errors: (string | null)[]) => {
      const deaths = errors.map((error, at) => death(T0 + at, undefined, { code: 503, error }));
      return addDeaths(NO_DEATHS, deaths.toReversed()).waiting?.lines.map(({ answer }) => answer);
    };
    expect(said("closed", "settlement window closed", null)).toEqual(["503 settlement window closed"]);
    expect(said(null, "closed")).toEqual(["503 closed"]);
    expect(said(null, null)).toEqual(["503 Service Unavailable"]);
  });

  test("keep lines of an earlier release, which have no code, beside new ones", () => {
    const old = { target: "hooks.example.com", answer: "410 Gone", n: 2, fromMs: T0, toMs: T0 };
    const group = { ...NO_DEATHS, waiting: { n: 2, sinceMs: T0, lines: [old], others: 0 } };
    expect(addDeaths(group, [death(T0)]).waiting?.lines).toEqual([
      old,
      { target: "hooks.example.com", code: 410, answer: "410 Gone", n: 1, fromMs: T0, toMs: T0 },
    ]);
  });
});
