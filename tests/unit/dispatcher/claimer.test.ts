import { expect, it } from "vitest";
import { type Database, DatabaseUnavailable } from "#db/client.ts";
import { ClaimCost } from "#dispatcher/claiming/claim-cost.ts";
import { CLAIM_AHEAD_MS, Claimer } from "#dispatcher/claiming/claimer.ts";
import { Deliveries } from "#dispatcher/delivery/deliveries.ts";
import type { Delivery } from "#dispatcher/delivery/delivery.ts";
import { Metrics } from "#dispatcher/observability/metrics.ts";
import { dueSchedule } from "#tests/helpers/due-schedule.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";

const NOW_MS = 10_000;
/** Two turns of the event loop: a statement is sent in the turn after the one in which it may be. */
async function turn() {
  for (let n = 0; n < 2; n++) await new Promise((resolve) => setImmediate(resolve));
}

/** A claimer whose statements are answered by `answer`, in any order, with the rows of all their deliveries or of none. */
function start() {
  let nowMs = NOW_MS;
  const clock = { now: () => nowMs, monotonic: () => nowMs };
  const lease = { lasts: true };
  const deliveries = new Deliveries({ clock, connectionsPerPlace: 100 });
  const statements: { ids: string[]; answer: (rows: object[]) => void; fail: (error: Error) => void }[] = [];
  /** Each statement with the time at which it was sent. */
  const sent: { atMs: number; ids: string[] }[] = [];
  const run = (_deadlineMs: number, task: (using: { sql: unknown }) => Promise<never[]>) => {
    const sql = ([text]: readonly string[], ...values: unknown[]) => {
      // A part of a statement.
      if (!text?.includes("WITH mine")) return {};
      const ids = values.filter((value) => typeof value === "string").flatMap((text) => text.match(/id-\d+/g) ?? []);
      sent.push({ atMs: nowMs, ids });
      return { values: () => new Promise((answer, fail) => statements.push({ ids, answer, fail })) };
    };
    return task({ sql: Object.assign(sql, { unsafe: (text: string) => text }) });
  };
  const claimer = new Claimer({
    inFlightMax: 2,
    deliveries,
    clock,
    dispatcherId: "me",
    metrics: new Metrics(),
    cost: new ClaimCost(),
    database: { run, close: async () => {} } as unknown as Database,
    shards: { holds: () => true, isLeased: () => lease.lasts, epochsOf: () => new Map([[0, 1]]), beat: () => 1 },
    alarm: { at() {}, run() {} },
    idsToRead: { add() {} },
    onError(error: unknown) {
      throw error;
    },
  });
  const free = { slot() {}, connection() {}, bytes() {}, memory() {} };
  const released: string[] = [];
  deliveries.connect({ admitted: (delivery) => claimer.add(delivery), releasing: ({ id }) => released.push(id) }, free);
  let ids = 0;
  /** Answers the statement in flight with this number, from 0, with the rows of all its schedules. */
  async function answer(nth: number) {
    const [statement] = statements.splice(nth, 1);
    statement?.answer(statement.ids.map((id) => [id, "2"]));
    await turn();
  }
  return {
    lease,
    answer,
    statements,
    sent,
    released,
    /** Adds a delivery of an account, admitted to its claim. */
    admit(accountId: string, dueAtMs: number): Delivery {
      const delivery = deliveries.add(dueSchedule({ id: `id-${++ids}`, accountId, dueAtMs }), 0);
      deliveries.move(delivery, "awaiting slot");
      deliveries.move(delivery, "admitted");
      return delivery;
    },
    /** Moves the clock to each instant at which the claimer asks to be run, until it asks for none. */
    async runAll() {
      for (let nextMs = claimer.runDue(); nextMs < Number.POSITIVE_INFINITY; nextMs = claimer.runDue()) {
        await turn();
        while (statements.length > 0) await answer(0);
        nowMs = nextMs;
      }
      await turn();
    },
    async lose(nth: number) {
      statements.splice(nth, 1)[0]?.fail(new DatabaseUnavailable(new Error("lost")));
      await turn();
    },
  };
}

const stateOf = ({ state }: Delivery) => state;

it("overdue deliveries of a lane become claimed in the order of their statements, even when a later one is answered first; other lanes do not wait", async () => {
  const { admit, answer, statements } = start();
  const first = [admit("a", 1_000), admit("a", 1_001)];
  await turn();
  const [second, onTime, others] = [admit("a", 1_002), admit("a", NOW_MS), admit("b", NOW_MS)];
  await turn();
  expect(statements).toHaveLength(2);

  await answer(1);
  expect([...first, second, onTime, others].map(stateOf)).toEqual([
    ...["claiming", "claiming", "claiming", "claiming"],
    "claimed",
  ]);
  await answer(0);
  expect([...first, second, onTime].map(stateOf)).toEqual(["claimed", "claimed", "claimed", "claimed"]);
});

it("nothing is claimed while the lease is over, and what waited is claimed in its order once it is renewed", async () => {
  const { admit, statements, lease } = start();
  lease.lasts = false;
  const waiting = [admit("a", 1_000), admit("a", 1_001)];
  await turn();
  expect([statements.length, ...waiting.map(stateOf)]).toEqual([0, "admitted", "admitted"]);
  lease.lasts = true;
  await waitFor("they are claimed", () => statements.length === 1);
  expect(waiting.map(stateOf)).toEqual(["claiming", "claiming"]);
});

it("a lane with overdue deliveries in two statements waits for both before its next claim; other lanes do not wait", async () => {
  const { admit, answer, statements } = start();
  admit("a", 1_000);
  await turn();
  admit("a", 1_001);
  await turn();
  await answer(1);
  const [own, others] = [admit("a", 1_002), admit("b", 1_002)];
  await turn();
  expect([own, others].map(stateOf)).toEqual(["admitted", "claiming"]);
  expect(statements).toHaveLength(2);
  await answer(0);
  expect(stateOf(own)).toBe("claiming");
});

it("when the claim of overdue deliveries fails, and its repeats, later ones of their lane are released too; other lanes stay claimed", async () => {
  const { admit, answer, lose, released } = start();
  const first = admit("a", 1_000);
  await turn();
  const [second, others] = [admit("a", 1_001), admit("b", 1_001)];
  await turn();
  await answer(1);
  expect([second, others].map(stateOf)).toEqual(["claiming", "claimed"]);
  // The repeats of a lost one are sent at once, and are lost, too.
  for (let n = 0; n < 3; n++) await lose(0);
  expect([first, second].map(stateOf)).toEqual(["releasing", "releasing"]);
  expect(released).toEqual([first.id, second.id]);
});

it("a lost claim is repeated: what the repeat has goes on, what it has not is released", async () => {
  const { admit, lose, statements, released } = start();
  const [first, second] = [admit("a", 1_000), admit("b", 1_000)];
  await turn();
  await lose(0);
  expect([first, second].map(stateOf)).toEqual(["claiming", "claiming"]);
  expect(statements.map(({ ids }) => ids)).toEqual([[first.id, second.id]]);
  statements[0]?.answer([[second.id, "2"]]);
  await turn();
  expect([first, second].map(stateOf)).toEqual(["releasing", "claimed"]);
  expect(released).toEqual([first.id]);
});

it("a claim in flight for a delivery that is on time does not delay other claims of its lane", async () => {
  const { admit } = start();
  const first = admit("a", NOW_MS);
  await turn();
  const second = admit("a", NOW_MS + 1);
  await turn();
  expect([first.state, second.state]).toEqual(["claiming", "claiming"]);
});

it("deliveries that may not be claimed yet are claimed together in steps of 10 ms, none of them too early", async () => {
  const { admit, runAll, sent } = start();
  const dueAtMs = new Map<string, number>();
  for (let n = 0; n < 300; n++) {
    const delivery = admit(`account ${n}`, NOW_MS + 1_001 + n);
    dueAtMs.set(delivery.id, delivery.dueAtMs);
  }
  await runAll();
  expect(sent.length).toBeLessThanOrEqual(31);
  const aheadMs = sent.flatMap(({ atMs, ids }) => ids.map((id) => (dueAtMs.get(id) ?? Number.NaN) - atMs));
  expect(aheadMs).toHaveLength(300);
  expect(Math.max(...aheadMs)).toBeLessThanOrEqual(CLAIM_AHEAD_MS);
  expect(Math.min(...aheadMs)).toBeGreaterThan(CLAIM_AHEAD_MS - 10);
});
