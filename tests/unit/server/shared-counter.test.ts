import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { RequestCount } from "#db/queries/fleet/request-counts.ts";
import { SharedCounter } from "#server/counters/shared-counter.ts";
import { waitByTurns } from "../helpers/wait-by-turns.ts";

const LIMIT = 600;
const MINUTE = 29_000_000;
const START_MS = MINUTE * 60_000 + 5_000;

/** What Postgres holds: one total per minute and key. `fault` decides how a statement fails. */
function createStore(fault: () => "none" | "away" | "hangs" = () => "none") {
  const rows = new Map<string, number>();
  const forgotten: number[] = [];
  const failures: string[] = [];
  let statements = 0;
  return {
    rows,
    forgotten,
    failures,
    statements: () => statements,
    flushCounts: async (counts: RequestCount[]) => {
      statements++;
      if (counts.length === 0) throw new Error("there is nothing to flush");
      await new Promise((resolve) => setImmediate(resolve));
      if (fault() === "away") throw new Error("away");
      if (fault() === "hangs") await new Promise(() => {});
      const totals = counts.map(({ minute, key, n }) => {
        const total = (rows.get(`${minute} ${key}`) ?? 0) + n;
        rows.set(`${minute} ${key}`, total);
        return total;
      });
      return { totals, nowMs: START_MS };
    },
    deleteBefore: async (minute: number) => {
      forgotten.push(minute);
    },
    onError: (error: unknown) => {
      failures.push((error as Error).message);
    },
  };
}

type Store = ReturnType<typeof createStore>;
const now = () => START_MS;
const fleet = (store: Store, processes: number) =>
  Array.from({ length: processes }, () => new SharedCounter({ ...store, now }));
const one = (store: Store) => new SharedCounter({ ...store, now });

async function allowed(calls: Promise<{ total: number }>[]): Promise<number> {
  return (await Promise.all(calls)).filter(({ total }) => total <= LIMIT).length;
}

afterEach(() => {
  vi.useRealTimers();
});

describe("the rate limiter in one process", () => {
  it("allows exactly the limit in a burst", async () => {
    const counts = one(createStore());
    expect(await allowed(Array.from({ length: 2_000 }, () => counts.add("a", LIMIT)))).toBe(LIMIT);
  });

  it("allows exactly the limit when calls come while others are being counted", async () => {
    const counts = one(createStore());
    const calls: Promise<{ total: number }>[] = [];
    for (let n = 0; n < 2_000; n++) {
      calls.push(counts.add("a", LIMIT));
      if (n % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await allowed(calls)).toBe(LIMIT);
  });

  it("allows exactly the limit in a burst while the process is blocked for longer than the database timeout", async () => {
    const counts = one(createStore());
    const burst = allowed(Array.from({ length: 2_000 }, () => counts.add("a", LIMIT)));
    const until = performance.now() + 1_500;
    while (performance.now() < until);
    expect(await burst).toBe(LIMIT);
  });

  it("counts each key separately", async () => {
    const counts = one(createStore());
    for (let n = 0; n < LIMIT; n++) await counts.add("a", LIMIT);
    expect((await counts.add("a", LIMIT)).total).toBeGreaterThan(LIMIT);
    expect((await counts.add("b", LIMIT)).total).toBe(1);
  });

  it("makes one round trip for many calls", async () => {
    const store = createStore();
    const counts = one(store);
    for (let n = 0; n < LIMIT; n++) await counts.add("a", LIMIT);
    expect(store.statements()).toBeLessThan(LIMIT / 12);
  });

  it("starts a new minute by the database's clock, whatever the process's own clock says", async () => {
    let nowMs = START_MS - 40_000;
    const store = createStore();
    const counts = new SharedCounter({
      ...store,
      flushCounts: async (unflushed) => ({ ...(await store.flushCounts(unflushed)), nowMs: nowMs + 40_000 }),
      now: () => nowMs,
    });
    expect(await allowed(Array.from({ length: 1_000 }, () => counts.add("a", LIMIT)))).toBeGreaterThanOrEqual(LIMIT);
    expect((await counts.add("a", LIMIT)).resetMs).toBe(55_000);
    nowMs += 54_999;
    expect((await counts.add("a", LIMIT)).total).toBeGreaterThan(LIMIT);
    nowMs += 1;
    expect(await counts.add("a", LIMIT)).toEqual({ total: 1, resetMs: 60_000 });
  });

  it("makes no round trip when all counts were flushed before the second is over", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const store = createStore();
    const counts = one(store);
    for (let n = 0; n < LIMIT; n++) await counts.add("a", LIMIT);
    while (store.rows.get(`${MINUTE} a`) !== LIMIT) await vi.advanceTimersByTimeAsync(1_000);
    const before = store.statements();
    await vi.advanceTimersByTimeAsync(10_000);
    expect([store.statements(), store.failures]).toEqual([before, []]);
  });

  it("deletes the counts of past minutes once a minute", async () => {
    const store = createStore();
    const counts = one(store);
    await Promise.all(Array.from({ length: 500 }, () => counts.add("a", LIMIT)));
    expect(store.forgotten).toEqual([MINUTE - 1]);
  });
});

describe("the rate limiter in several processes", () => {
  it("counts the calls of all processes together within a tenth, however they are spread", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 10 }),
        fc.array(fc.record({ process: fc.nat(), calls: fc.integer({ min: 1, max: 400 }) }), { maxLength: 12 }),
        async (processes, bursts) => {
          const members = fleet(createStore(), processes);
          const answers: Promise<{ total: number }>[] = [];
          for (const { process, calls } of bursts) {
            const member = members[process % processes] as SharedCounter;
            for (let n = 0; n < calls; n++) answers.push(member.add("a", LIMIT));
            if (process % 3 === 0) await Promise.all(answers);
          }
          for (let n = 0; n < LIMIT * 2; n++) answers.push((members[n % processes] as SharedCounter).add("a", LIMIT));
          const n = await allowed(answers);
          expect(n).toBeGreaterThanOrEqual(LIMIT * 0.9);
          expect(n).toBeLessThanOrEqual(LIMIT * 1.1);
        },
      ),
      { numRuns: 200 },
    );
  });

  it("flushes the counts of every process within a second", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const store = createStore();
    for (const counts of fleet(store, 2)) await counts.add("a", LIMIT);
    await vi.advanceTimersByTimeAsync(1_000);
    await waitByTurns("both are flushed", () => store.rows.get(`${MINUTE} a`) === 2);
  });
});

describe("the rate limiter, while the database", () => {
  it("is away, counts in each process without waiting", async () => {
    let isAway = true;
    const store = createStore(() => (isAway ? "away" : "none"));
    const counts = one(store);
    expect(await allowed(Array.from({ length: 1_000 }, () => counts.add("a", LIMIT)))).toBe(LIMIT);
    expect(store.statements()).toBe(1);
    isAway = false;
    expect((await counts.add("a", LIMIT)).total).toBeGreaterThan(LIMIT);
  });

  it("is away, keeps its counts and flushes them once the database is back", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let isAway = true;
    const store = createStore(() => (isAway ? "away" : "none"));
    const counts = one(store);
    for (let n = 0; n < 100; n++) await counts.add("a", LIMIT);
    isAway = false;
    await vi.advanceTimersByTimeAsync(1_000);
    await waitByTurns("all are flushed", () => store.rows.get(`${MINUTE} a`) === 100);
  });

  it("does not answer, holds calls up for one second once and not again", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const counts = one(createStore(() => "hangs"));
    const burst = allowed(Array.from({ length: 1_000 }, () => counts.add("a", LIMIT)));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await burst).toBe(LIMIT);
    expect(await allowed(Array.from({ length: 100 }, () => counts.add("b", LIMIT)))).toBe(100);
  });

  it("answers late, flushes the calls that did not wait for it once", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const store = createStore();
    const { promise: isThere, resolve: comes } = Promise.withResolvers<void>();
    const counts = new SharedCounter({
      ...store,
      now,
      flushCounts: async (unflushed) => {
        await isThere;
        return store.flushCounts(unflushed);
      },
    });
    const burst = allowed(Array.from({ length: 300 }, () => counts.add("a", LIMIT)));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await burst).toBe(300);
    comes();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(store.rows.get(`${MINUTE} a`)).toBe(300);
  });
});
