import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Database, DatabaseUnavailable } from "#db/client.ts";
import type { ClaimedSchedule } from "#db/queries/schedules/claim.ts";
import { spreadCalls } from "#db/spread-calls.ts";
import { ClaimCost } from "#dispatcher/claiming/claim-cost.ts";
import { ClaimStatements } from "#dispatcher/claiming/run-claim.ts";
import { type Delivery, newDelivery } from "#dispatcher/delivery/delivery.ts";
import { dueSchedule } from "#tests/helpers/due-schedule.ts";

const REPEATED_AFTER_MS = 250;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

type Call = {
  deadlineMs: number;
  isGivenUp: () => boolean;
  answer: (claimed: readonly Delivery[], moved?: readonly Delivery[]) => Promise<void>;
  lose: () => Promise<void>;
};

const idsOf = (all: readonly { id: string }[]) => all.map(({ id }) => id);
async function pass(ms: number) {
  await vi.advanceTimersByTimeAsync(ms);
  for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
}

/** A database whose calls wait until the test answers them. */
function heldDatabase() {
  const calls: Call[] = [];
  const run = (deadlineMs: number, _work: unknown, signal?: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers();
    const lose = () => reject(new DatabaseUnavailable(new Error("lost")));
    signal?.addEventListener("abort", lose);
    calls.push({
      deadlineMs,
      isGivenUp: () => signal?.aborted === true,
      async answer(claimed, moved = []) {
        resolve({ claimed: claimed.map(({ id }) => ({ id }) as ClaimedSchedule), moved: idsOf(moved) });
        await pass(0);
      },
      async lose() {
        lose();
        await pass(0);
      },
    });
    return promise;
  };
  return { calls, database: { run, close: async () => {} } as unknown as Database };
}

function start(rows = 2) {
  const { calls, database } = heldDatabase();
  const statements = new ClaimStatements({
    ...{ database, dispatcherId: "me", cost: new ClaimCost(), inFlightMax: 2 },
    shards: { epochsOf: () => new Map([[0, 1]]), beat: () => 1 },
    clock: { monotonic: () => performance.now() },
  });
  let n = 0;
  /** Sends a statement. `claimed` and `result` are what came of it so far. */
  const send = () => {
    const batch = Array.from({ length: rows }, () => newDelivery(dueSchedule(), 0, "claiming"));
    const claimed: string[] = [];
    const sent = { batch, claimed, result: undefined as { lost: string[]; unknown: string[] } | undefined };
    const statement = { n: ++n, batch, settled: Promise.resolve(true) };
    void statements
      .run(statement, (all) => claimed.push(...idsOf(all)))
      .then(({ lost, unknown }) => {
        sent.result = { lost: idsOf(lost), unknown: idsOf(unknown) };
      });
    return sent;
  };
  return { calls, send };
}

const DECIDED = { lost: [], unknown: [] };

describe("a claim", () => {
  it("that is answered is not repeated, and what it has not claimed is lost", async () => {
    const { calls, send } = start();
    const sent = send();
    const [first, second] = sent.batch as [Delivery, Delivery];
    await pass(REPEATED_AFTER_MS - 1);
    expect(sent.result).toBeUndefined();
    await calls[0]?.answer([first]);
    await pass(5_000);
    expect(sent).toMatchObject({ claimed: [first.id], result: { lost: [second.id], unknown: [] } });
    expect(calls).toHaveLength(1);
    expect(second.claimVersion).toBe(second.version + 1);
  });

  it("without an answer is repeated within its deadline, and the first answer with a row counts, once", async () => {
    const { calls, send } = start();
    const sent = send();
    await pass(REPEATED_AFTER_MS);
    expect(calls).toHaveLength(2);
    expect(calls[1]?.deadlineMs).toBeLessThanOrEqual((calls[0]?.deadlineMs ?? 0) - REPEATED_AFTER_MS);
    await calls[1]?.answer(sent.batch);
    expect(sent).toMatchObject({ claimed: idsOf(sent.batch), result: DECIDED });
    await calls[0]?.answer(sent.batch);
    expect(sent.claimed).toEqual(idsOf(sent.batch));
  });

  it("that is still not answered when its repeat has all rows is given up after as long again", async () => {
    const { calls, send } = start();
    const sent = send();
    await pass(REPEATED_AFTER_MS);
    await calls[1]?.answer(sent.batch);
    await pass(REPEATED_AFTER_MS - 1);
    expect(calls[0]?.isGivenUp()).toBe(false);
    await pass(1);
    expect(calls[0]?.isGivenUp()).toBe(true);
    expect(sent.claimed).toEqual(idsOf(sent.batch));
  });

  it("whose answer is lost is repeated at once", async () => {
    const { calls, send } = start();
    const sent = send();
    await calls[0]?.lose();
    await calls[1]?.answer(sent.batch);
    expect(sent).toMatchObject({ claimed: idsOf(sent.batch), result: DECIDED });
  });

  it("of a row that its repeat has not may still come: it is unknown only when its answer is lost", async () => {
    for (const comes of [true, false]) {
      const { calls, send } = start();
      const sent = send();
      const [first, second] = sent.batch as [Delivery, Delivery];
      await pass(REPEATED_AFTER_MS);
      await calls[1]?.answer([first]);
      expect(sent).toMatchObject({ claimed: [first.id], result: undefined });
      await pass(REPEATED_AFTER_MS);
      expect(calls[0]?.isGivenUp()).toBe(false);
      if (comes) await calls[0]?.answer([second]);
      else await calls[0]?.lose();
      expect(sent.claimed).toEqual(comes ? [first.id, second.id] : [first.id]);
      expect(sent.result).toEqual(comes ? DECIDED : { lost: [], unknown: [second.id] });
    }
  });

  it("that is answered after its repeat was sent leaves what it has not claimed to the repeat", async () => {
    for (const end of ["claims", "does not claim", "is lost"]) {
      const { calls, send } = start();
      const sent = send();
      const [first, second] = sent.batch as [Delivery, Delivery];
      await pass(REPEATED_AFTER_MS);
      await calls[0]?.answer([first]);
      expect(sent).toMatchObject({ claimed: [first.id], result: undefined });
      if (end === "is lost") for (const call of [1, 2]) await calls[call]?.lose();
      else await calls[1]?.answer(end === "claims" ? [first, second] : [first]);
      expect(sent.claimed).toEqual(end === "claims" ? [first.id, second.id] : [first.id]);
      const notClaimed = end === "is lost" ? { lost: [], unknown: [second.id] } : { lost: [second.id], unknown: [] };
      expect(sent.result).toEqual(end === "claims" ? DECIDED : notClaimed);
    }
  });

  it("does not wait for an answer about a row that has moved on", async () => {
    const { calls, send } = start();
    const sent = send();
    const [first, second] = sent.batch as [Delivery, Delivery];
    await pass(REPEATED_AFTER_MS);
    await calls[1]?.answer([first], [second]);
    expect(sent.result).toEqual({ lost: [second.id], unknown: [] });
  });

  it("whose repeat is not answered either is repeated once more", async () => {
    const { calls, send } = start();
    const sent = send();
    for (let n = 0; n < 5; n++) await pass(REPEATED_AFTER_MS);
    expect(calls).toHaveLength(3);
    await calls[2]?.answer(sent.batch);
    expect(sent).toMatchObject({ claimed: idsOf(sent.batch), result: DECIDED });
  });

  it("whose repeats are lost, too, leaves all unknown", async () => {
    const { calls, send } = start();
    const sent = send();
    for (let n = 0; n < 3; n++) await calls[n]?.lose();
    expect(sent).toMatchObject({ claimed: [], result: { lost: [], unknown: idsOf(sent.batch) } });
  });
});

describe("calls that are spread over databases", () => {
  it("go where the fewest calls are, and of these to the first: past one that is stuck", async () => {
    const all = [heldDatabase(), heldDatabase(), heldDatabase()];
    const spread = spreadCalls(all.map(({ database }) => database));
    const counts = () => all.map(({ calls }) => calls.length);
    const call = () => void spread.run(1_000, async () => {}).catch(() => {});
    for (let n = 0; n < 2; n++) call();
    expect(counts()).toEqual([1, 1, 0]);
    await all[1]?.calls[0]?.answer([]);
    call();
    call();
    expect(counts()).toEqual([1, 2, 1]);
    await all[1]?.calls[1]?.lose();
    call();
    expect(counts()).toEqual([1, 3, 1]);
  });
});

describe("the wait before a claim is repeated", () => {
  it("is 250 ms, however many rows it has, while claims are as fast as usual", () => {
    const cost = new ClaimCost();
    expect([1, 100, 500].map((rows) => cost.repeatedAfterMs(rows))).toEqual([250, 250, 250]);
  });

  it("is several times what claims take while they are slow", () => {
    const cost = new ClaimCost();
    for (let n = 0; n < 100; n++) cost.learn(200, 10);
    expect(cost.repeatedAfterMs(10)).toBeGreaterThan(5 * 200);
    for (let n = 0; n < 100; n++) cost.learn(240, 400);
    expect(cost.repeatedAfterMs(400)).toBeGreaterThan(5 * 240);
  });
});
