import postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { connect, type Database } from "#db/client.ts";
import { Heartbeats } from "#dispatcher/heartbeats.ts";
import { type ShardRates, Shards } from "#dispatcher/shards.ts";
import { newId } from "#domain/ids.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";

let database: TestDatabase;
let sql: postgres.Sql;
let connection: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = postgres(database.url, { max: 1, onnotice: () => {} });
  connection = connect({ url: database.url, name: "shards", connectionsMax: 2 });
});
afterAll(async () => {
  await connection.close();
  await sql.end();
  await database.drop();
});
beforeEach(() => sql`DELETE FROM dispatchers`);

/**
 * The shards of a process of its own. `holdCall(n)` makes its n-th call to the database from now on wait for `release`.
 */
function start(rates: ShardRates = { sentOf: () => ({}), occupy: () => {} }) {
  let callsLeft = Number.POSITIVE_INFINITY;
  let gate = Promise.withResolvers<void>();
  let reached = Promise.withResolvers<void>();
  const id = newId(Date.now());
  const database: Database = {
    ...connection,
    async run(deadlineMs, work) {
      if (callsLeft-- === 0) {
        reached.resolve();
        await gate.promise;
      }
      return connection.run(deadlineMs, work);
    },
  };
  const me = { id, host: "test", pid: 1, version: "0.0.0" };
  const shards = new Shards({
    database,
    me,
    heartbeats: new Heartbeats({ database, me, findPrimaries: async () => [], onHold: () => {} }),
    clock: {
      monotonic: () => performance.now(),
      isSet: () => true,
      skewMs: () => 0,
      sinceStepMs: () => Number.POSITIVE_INFINITY,
    },
    wall: () => Date.now(),
    rates,
  });
  return {
    id,
    shards,
    holdCall(n: number) {
      callsLeft = n;
      gate = Promise.withResolvers();
      reached = Promise.withResolvers();
      return { reached: reached.promise, release: gate.resolve };
    },
  };
}

const ownedBy = async (id: string) => {
  const [row] = await sql`SELECT count(*)::int AS n FROM shards WHERE owner = ${id}`;
  return row?.n as number;
};

describe("a handover", () => {
  it.each([
    ["its heartbeat", 0],
    ["its taking of more shards", 1],
  ])("that begins while %s is in flight leaves its dispatcher without shards and stopped", async (_what, call) => {
    const leaving = start();
    const other = start();
    await other.shards.runOnce();
    await leaving.shards.runOnce();
    // Half of the shards are free, so that the dispatcher has some to renew, and finds more to take in its next round.
    await sql`UPDATE shards SET owner = NULL, lease_until = '-infinity' WHERE id < 32`;
    await leaving.shards.runOnce();
    expect(await ownedBy(leaving.id)).toBe(32);
    await other.shards.handOver();

    const { reached, release } = leaving.holdCall(call);
    const round = leaving.shards.runOnce();
    await reached;
    const handover = leaving.shards.handOver();
    release();
    await Promise.all([round, handover]);

    expect(await ownedBy(leaving.id)).toBe(0);
    const [row] = await sql`SELECT stopped_at FROM dispatchers WHERE id = ${leaving.id}`;
    expect(row?.stopped_at).toBeInstanceOf(Date);
    const next = start();
    await next.shards.runOnce();
    expect(await ownedBy(next.id)).toBe(64);
    await next.shards.handOver();
  });
});

it("the next owner of a shard learns how many first bytes each of its lanes sent within the last second", async () => {
  const [handed, learnt] = [new Map<number, Record<string, number>>(), new Map<number, Record<string, number>>()];
  const leaving = start({
    sentOf(shard) {
      const sent = { [`a lane of ${shard} live`]: shard + 1, "another lane live": 20 };
      handed.set(shard, sent);
      return sent;
    },
    occupy() {},
  });
  await leaving.shards.runOnce();
  await leaving.shards.handOver();
  const next = start({ sentOf: () => ({}), occupy: (shard, sent) => void learnt.set(shard, sent) });
  await next.shards.runOnce();
  await next.shards.handOver();
  expect(handed.size).toBe(64);
  expect(learnt).toEqual(handed);
});

it("a dispatcher takes shards again that the database alone says are its own, as when the answer with them was lost", async () => {
  const one = start();
  await one.shards.runOnce();
  expect(one.shards.owned()).toHaveLength(64);
  await sql`UPDATE shards SET epoch = epoch + 1 WHERE id < 16`;
  await one.shards.runOnce();
  await one.shards.runOnce();
  const rows = await sql`SELECT id, epoch::int FROM shards WHERE owner = ${one.id}`;
  expect(rows).toHaveLength(64);
  expect(new Map(rows.map(({ id, epoch }) => [id, epoch]))).toEqual(one.shards.epochsOf(rows.map(({ id }) => id)));
  await one.shards.handOver();
});
