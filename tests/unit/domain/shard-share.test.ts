import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FleetView, SHARDS, shardMoves } from "#domain/shard-share.ts";
import { DISPATCHER_SETTLED_MS } from "#domain/timing.ts";

const view = (overrides: Partial<FleetView>): FleetView => ({
  isSettled: true,
  others: 0,
  settledOthers: 0,
  owned: 0,
  free: 0,
  freeForMs: 0,
  ...overrides,
});

describe("the share of a dispatcher", () => {
  it("is all shards while it is alone", () => {
    expect(shardMoves(view({ free: 64 }))).toEqual({ take: 64, release: 0 });
  });

  it("is not given up for a dispatcher that has just started, so that a crash loop costs nothing", () => {
    expect(shardMoves(view({ others: 15, owned: 64 }))).toEqual({ take: 0, release: 0 });
  });

  it("is given up a few at a time for a settled dispatcher, and not while shards are free", () => {
    expect(shardMoves(view({ others: 1, settledOthers: 1, owned: 64 }))).toEqual({ take: 0, release: 16 });
    expect(shardMoves(view({ others: 1, settledOthers: 1, owned: 35 }))).toEqual({ take: 0, release: 3 });
    expect(shardMoves(view({ others: 1, settledOthers: 1, owned: 64, free: 1 }))).toMatchObject({ release: 0 });
  });

  it("is exceeded after a second by shards that nobody else takes", () => {
    const left = view({ others: 1, settledOthers: 1, owned: 32, free: 32 });
    expect(shardMoves(left)).toMatchObject({ take: 0 });
    expect(shardMoves({ ...left, freeForMs: 1_000 })).toMatchObject({ take: 32 });
  });

  it("is nothing when it has just started beside a settled one, and equal among dispatchers that all have just started", () => {
    const starting = view({ isSettled: false, others: 3, free: 64 });
    expect(shardMoves({ ...starting, settledOthers: 1, freeForMs: 10_000 })).toEqual({ take: 0, release: 0 });
    expect(shardMoves(starting)).toEqual({ take: 16, release: 0 });
  });
});

describe("a fleet", () => {
  const ROUND_MS = 2_000;

  /**
   * Runs rounds with dispatchers that started at `beganAtMs`; the shards of one that ended are free. Returns how many
   * shards each owns.
   */
  function run(
    fleet: { beganAtMs: number; endsAtMs: number }[],
    untilMs: number,
  ): { owned: number[]; unowned: number } {
    const owned = fleet.map(() => 0);
    let freeSinceMs: number | null = null;
    for (let now = 0; now < untilMs; now += ROUND_MS / 8) {
      for (const [index, one] of fleet.entries()) if (one.endsAtMs <= now) owned[index] = 0;
      const free = () => SHARDS - owned.reduce((sum, n) => sum + n, 0);
      freeSinceMs = free() === 0 ? null : (freeSinceMs ?? now);
      for (const [index, one] of fleet.entries()) {
        if (one.beganAtMs > now || one.endsAtMs <= now) continue;
        const others = fleet.filter((other) => other !== one && other.beganAtMs <= now && other.endsAtMs > now);
        const isSettled = ({ beganAtMs }: { beganAtMs: number }) => now - beganAtMs >= DISPATCHER_SETTLED_MS;
        const { take, release } = shardMoves({
          isSettled: isSettled(one),
          others: others.length,
          settledOthers: others.filter(isSettled).length,
          owned: owned[index] as number,
          free: free(),
          freeForMs: freeSinceMs === null ? 0 : now - freeSinceMs,
        });
        owned[index] = (owned[index] as number) + Math.min(take, free()) - release;
      }
    }
    return { owned, unowned: SHARDS - owned.reduce((sum, n) => sum + n, 0) };
  }

  it("arrives at equal shares and leaves no shard without an owner, whichever dispatchers come and go", () => {
    const dispatcher = fc.record({
      beganAtMs: fc.integer({ min: 0, max: 60_000 }),
      livesMs: fc.oneof(fc.integer({ min: 100, max: 30_000 }), fc.constant(1_000_000)),
    });
    fc.assert(
      fc.property(fc.array(dispatcher, { minLength: 1, maxLength: 6 }), (drawn) => {
        const fleet = drawn.map(({ beganAtMs, livesMs }) => ({ beganAtMs, endsAtMs: beganAtMs + livesMs }));
        const living = fleet
          .map(({ endsAtMs }, index) => ({ index, lives: endsAtMs > 200_000 }))
          .filter(({ lives }) => lives);
        fc.pre(living.length > 0);
        const { owned, unowned } = run(fleet, 200_000);
        expect(unowned).toBe(0);
        for (const { index } of living) expect(owned[index]).toBeLessThanOrEqual(Math.ceil(SHARDS / living.length));
      }),
    );
  });
});
