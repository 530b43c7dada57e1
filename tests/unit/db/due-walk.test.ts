import { describe, expect, it } from "vitest";
import { type Due, type DueWalk, postponeFirst, WALK_BEGINS, walkStep } from "#db/queries/retention/due-walk.ts";

/** Accounts with this many rows each, one every millisecond. Locked rows are found and not taken. */
function accountsWith(rows: Record<string, number>, isLocked: (accountId: string) => boolean = () => false) {
  const left = Object.fromEntries(
    Object.entries(rows).map(([id, n]) => [id, Array.from({ length: n }, (_, atMs) => atMs)]),
  );
  const from = ({ accountId, fromMs }: Due) => left[accountId]?.filter((atMs) => atMs >= fromMs) ?? [];
  return {
    left,
    search: async () => ({ due: Object.keys(left).map((accountId) => ({ accountId, fromMs: 0 })), last: null }),
    async take(_: unknown, due: readonly Due[], rowsMax: number) {
      const found = due
        .flatMap((one, place) => from(one).map((atMs) => ({ place, atMs, accountId: one.accountId })))
        .slice(0, rowsMax);
      const taken = found.filter(({ accountId }) => !isLocked(accountId));
      for (const { accountId, atMs } of taken) left[accountId] = left[accountId]?.filter((one) => one !== atMs) ?? [];
      const last = found.at(-1);
      return { rows: taken.length, found: found.length, place: last?.place ?? 0, lastMs: last?.atMs ?? 0 };
    },
    count: async () => ({ rows: 0, oldestS: 0 }),
  };
}

async function run(queries: ReturnType<typeof accountsWith>, rowsMax: number, onBatch: () => void = () => {}) {
  let walk: DueWalk<Due> | null = WALK_BEGINS;
  for (let n = 0; walk && n < 1_000; n++) {
    ({ next: walk } = await walkStep({} as never, queries, walk, rowsMax));
    onBatch();
  }
  expect(walk).toBeNull();
}

describe("a walk over accounts with rows to take", () => {
  it("takes all rows of all accounts", async () => {
    const queries = accountsWith({ a: 25, b: 3, c: 10, d: 1 });
    await run(queries, 10);
    expect(queries.left).toEqual({ a: [], b: [], c: [], d: [] });
  });

  it("lets each account have a turn while one has many batches left", async () => {
    const queries = accountsWith({ big: 1_000, small: 5 });
    let batches = 0;
    let smallDoneAfter = 0;
    await run(queries, 10, () => {
      batches++;
      if (queries.left.small?.length === 0) smallDoneAfter ||= batches;
    });
    expect(smallDoneAfter).toBeLessThanOrEqual(3);
    expect(batches).toBeGreaterThan(100);
  });

  it("ends although others hold the rows of a whole batch, and takes all others", async () => {
    const queries = accountsWith({ locked: 50, free: 50 }, (id) => id === "locked");
    await run(queries, 10);
    expect([queries.left.locked?.length, queries.left.free]).toEqual([50, []]);
  });

  it("has the other accounts go first when the batch of one takes too long", () => {
    const [first, second] = [
      { accountId: "a", fromMs: 0 },
      { accountId: "b", fromMs: 0 },
    ] as const;
    expect(postponeFirst({ searched: null, due: [first, second], next: "take" }).due).toEqual([second, first]);
  });
});
