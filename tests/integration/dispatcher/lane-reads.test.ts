import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { connect, type Database } from "#db/client.ts";
import type { DueSchedule } from "#db/queries/schedules/due.ts";
import { Deliveries } from "#dispatcher/delivery/deliveries.ts";
import { laneKey } from "#dispatcher/delivery/delivery.ts";
import { Calendar } from "#dispatcher/intake/calendar.ts";
import { IdleLanes } from "#dispatcher/intake/idle-lanes.ts";
import type { Lane } from "#dispatcher/intake/lane.ts";
import { LaneReads } from "#dispatcher/intake/lane-reads.ts";
import { Lanes } from "#dispatcher/intake/lanes.ts";
import { Reconciliation } from "#dispatcher/intake/reconciliation.ts";
import { type KeyRing, parseKeyRing } from "#domain/cipher.ts";
import { createTestAccount } from "../../helpers/accounts.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";
import { dueSchedule } from "../../helpers/due-schedule.ts";
import { insertSchedules } from "../../helpers/overdue.ts";

const ALL_SHARDS = Array.from({ length: 64 }, (_, id) => id);
const TARGET = new URL("https://example.com/");
/** How far ahead of its clock a reader reads. */
const HORIZON_MS = 4_000;

let database: TestDatabase;
let sql: postgres.Sql;
let connection: Database;
let keyRing: KeyRing;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = postgres(database.url, { max: 1, onnotice: () => {} });
  connection = connect({ url: database.url, name: "lane-reads", connectionsMax: 1 });
  keyRing = parseKeyRing(`k:${randomBytes(32).toString("base64")}`);
});
beforeEach(async () => {
  await sql`TRUNCATE schedules, schedule_requests, lanes`;
});
afterAll(async () => {
  await connection.close();
  await sql.end();
  await database.drop();
});

/**
 * The stages that read lanes, with deliveries that stay in memory until `send` removes them. `meanwhile` runs once
 * between a statement and its answer. `max` is the number that fits into memory.
 */
function createReader(max = Number.POSITIVE_INFINITY) {
  let monotonicMs = 0;
  let aheadMs = 0;
  let meanwhile: (() => Promise<void>) | undefined;
  let setToMs: number | undefined;
  const clock = { now: () => setToMs ?? Date.now() + aheadMs, monotonic: () => monotonicMs, isSet: () => true };
  const deliveries = new Deliveries({ clock, connectionsPerPlace: 1 });
  const seen: DueSchedule[] = [];
  const slow: Database = {
    ...connection,
    async run(deadlineMs, work) {
      const answer = await connection.run(deadlineMs, work);
      const runs = meanwhile;
      meanwhile = undefined;
      await runs?.();
      return answer;
    },
  };
  const isSwept = (shard: number): boolean => calendar.isSwept(shard);
  const lanes = new Lanes({ clock, holdings: deliveries.holdings, rates: { limitOf: () => 20 }, isSwept });
  const intake = {
    accept(due: DueSchedule) {
      if (deliveries.get(due.id)) return true;
      if (deliveries.size >= max) return false;
      seen.push(due);
      deliveries.add(due, 0);
      return true;
    },
    run() {},
  };
  const calendar: Calendar = new Calendar({ database: slow, clock, lanes, shards: { owned: () => ALL_SHARDS } });
  const deps = { database: slow, clock, lanes, calendar };
  let rowsRead = 0;
  const metrics = {
    read(rows: number) {
      rowsRead += rows;
    },
  };
  const laneReads = new LaneReads({ ...deps, intake, metrics });
  return {
    lanes,
    deliveries,
    seen,
    calendar,
    laneReads,
    reconciliation: new Reconciliation({ ...deps, deliveries }),
    idle: new IdleLanes({ ...deps, recovery: { recoveredToMs: () => Number.NEGATIVE_INFINITY } }),
    rowsRead: () => rowsRead,
    during(work: () => Promise<void>) {
      meanwhile = work;
    },
    pass(ms: number) {
      monotonicMs += ms;
    },
    /** Moves the database's clock forward by `ms`. */
    later(ms: number) {
      aheadMs += ms;
      monotonicMs += ms;
    },
    /** Sets the database's clock to `ms` from now on. */
    setClock(ms: number) {
      setToMs = ms;
    },
    /** Reads and sends until nothing more is found. Returns the number of rounds. */
    async readAll() {
      let rounds = 0;
      for (; rounds < 1_000; rounds++) {
        const sent = [...deliveries.find(() => true, Number.POSITIVE_INFINITY)];
        for (const delivery of sent) {
          deliveries.move(delivery, "removed");
          const lane = lanes.get(delivery.lane);
          if (lane?.moreFromMs === null) lanes.rest(lane);
          else if (lane) lanes.want(lane);
        }
        if (sent.length > 0)
          await sql`UPDATE schedules SET status = 'cancelled', next_attempt_at = NULL, ended_at = now()
          WHERE id = ANY (${sent.map(({ id }) => id)})`;
        if ((await laneReads.runOnce()) === 0 && sent.length === 0) break;
      }
      return rounds;
    },
  };
}

/** When the schedules are due, epoch ms, the earliest first. */
async function dueTimes(): Promise<number[]> {
  const rows = await sql`
    SELECT extract(epoch FROM next_attempt_at)::float8 * 1000 AS ms FROM schedules ORDER BY next_attempt_at`;
  return rows.map(({ ms }) => ms);
}

/** An account with three overdue schedules, and a reader that has read them. */
async function readThree() {
  const account = await createTestAccount(sql, keyRing);
  await insertSchedules(sql, [account.id], TARGET, { rows: 3, fromMs: -1_000 });
  const reader = createReader();
  await reader.calendar.runOnce();
  await reader.laneReads.runOnce();
  return { account, reader };
}

describe("reading ahead", () => {
  it("reads each of thousands of schedules that are due at one instant once, in due order, in bounded portions", async () => {
    const account = await createTestAccount(sql, keyRing);
    await insertSchedules(sql, [account.id], TARGET, { rows: 1_000, fromMs: -1_000 });
    await insertSchedules(sql, [account.id], TARGET, { rows: 3, fromMs: -500 });
    const reader = createReader();
    await reader.calendar.runOnce();
    expect(await reader.readAll()).toBeGreaterThan(5);
    expect(new Set(reader.seen.map(({ id }) => id)).size).toBe(1_003);
    expect(reader.seen).toHaveLength(1_003);
    const dueAt = reader.seen.map(({ dueAtMs }) => dueAtMs);
    expect(dueAt).toEqual(dueAt.toSorted((a, b) => a - b));
    expect(reader.rowsRead()).toBeLessThan(1.2 * 1_003);
  });

  it("continues each lane from its cursor after memory was full, until every schedule is read", async () => {
    const accounts = await Promise.all(Array.from({ length: 5 }, () => createTestAccount(sql, keyRing)));
    await insertSchedules(
      sql,
      accounts.map(({ id }) => id),
      TARGET,
      { rows: 300, fromMs: -60_000, everyMs: 10 },
    );
    const reader = createReader(50);
    await reader.calendar.runOnce();
    for (let n = 0; n < 5 && reader.seen.length < 50; n++) await reader.laneReads.runOnce();
    expect(reader.seen).toHaveLength(50);
    for (let n = 0; n < 200 && reader.seen.length < 1_500; n++) {
      reader.pass(1_000);
      await reader.readAll();
    }
    expect(new Set(reader.seen.map(({ id }) => id)).size).toBe(1_500);
  });

  it("reads a lane again that was announced during the read, since the schedule may have been committed after it", async () => {
    const account = await createTestAccount(sql, keyRing);
    await insertSchedules(sql, [account.id], TARGET, { rows: 3, fromMs: -1_000 });
    const reader = createReader();
    await reader.calendar.runOnce();
    reader.during(async () => {
      const announcedMs = Date.now() - 2_500;
      await insertSchedules(sql, [account.id], TARGET, { rows: 2, fromMs: -2_000 });
      const lane = reader.lanes.get(laneKey({ accountId: account.id, env: "live" }));
      if (lane) reader.lanes.readAgain(lane, announcedMs);
    });
    await reader.laneReads.runOnce();
    expect(reader.seen).toHaveLength(3);
    await reader.laneReads.runOnce();
    expect(reader.seen).toHaveLength(5);
  });

  it("finds schedules that were committed behind a lane's cursor without a notification, by reconciling with the table", async () => {
    const { account, reader } = await readThree();
    reader.pass(4_000);
    expect(await reader.reconciliation.runOnce()).toBe(1);
    expect(await reader.laneReads.runOnce()).toBe(0);
    await insertSchedules(sql, [account.id], TARGET, { rows: 1, fromMs: -2_000 });
    reader.pass(4_000);
    await reader.reconciliation.runOnce();
    await reader.laneReads.runOnce();
    expect(reader.seen).toHaveLength(4);
  });

  it("finds such schedules even while others of the lane that are due beyond its cursor are in memory", async () => {
    const { account, reader } = await readThree();
    const [first] = reader.seen;
    reader.deliveries.add({ ...(first as DueSchedule), id: "a retry", dueAtMs: Date.now() + 60_000 }, 0);
    await insertSchedules(sql, [account.id], TARGET, { rows: 1, fromMs: -2_000 });
    reader.pass(4_000);
    await reader.reconciliation.runOnce();
    await reader.laneReads.runOnce();
    expect(reader.seen).toHaveLength(4);
  });

  it("finds such schedules in a later round when their lane was read during its reconciliation", async () => {
    const { account, reader } = await readThree();
    await insertSchedules(sql, [account.id], TARGET, { rows: 1, fromMs: -2_000 });
    const lane = reader.lanes.get(laneKey({ accountId: account.id, env: "live" })) as Lane;
    reader.pass(4_000);
    const endRead = () => lane.endRead([], { limit: 1, untilMs: lane.readTo.ms, accept: () => true });
    lane.beginRead();
    expect(await reader.reconciliation.runOnce()).toBe(0);
    endRead();
    reader.during(async () => void endRead());
    expect(await reader.reconciliation.runOnce()).toBe(1);
    expect(await reader.laneReads.runOnce()).toBe(0);
    expect(await reader.reconciliation.runOnce()).toBe(1);
    await reader.laneReads.runOnce();
    expect(reader.seen).toHaveLength(4);
  });

  it("reads a lane that is announced before its shard was swept from its oldest schedule, and not from what was announced", async () => {
    const account = await createTestAccount(sql, keyRing);
    await insertSchedules(sql, [account.id], TARGET, { rows: 3, fromMs: -60_000 });
    await insertSchedules(sql, [account.id], TARGET, { rows: 1, fromMs: 1_000 });
    const [announced] = await sql`
      SELECT shard, extract(epoch FROM next_attempt_at)::float8 * 1000 AS ms FROM schedules ORDER BY next_attempt_at DESC LIMIT 1`;
    const reader = createReader();
    const lane = { accountId: account.id, env: "live" as const };
    reader.lanes.wake({ ...lane, shard: announced?.shard, dueAtMs: Math.round(announced?.ms) }, laneKey(lane));
    const earlier = dueSchedule({ dueAtMs: Math.round(announced?.ms) - 1 });
    expect(reader.lanes.get(laneKey(lane))?.isReached(earlier)).toBe(false);
    await reader.laneReads.runOnce();
    expect(reader.seen.map(({ dueAtMs }) => dueAtMs)).toEqual((await dueTimes()).map(Math.round));
  });

  it("reads a lane again when the database did not answer", async () => {
    const account = await createTestAccount(sql, keyRing);
    await insertSchedules(sql, [account.id], TARGET, { rows: 3, fromMs: -1_000 });
    const reader = createReader();
    await reader.calendar.runOnce();
    reader.during(() => Promise.reject(new Error("away")));
    await expect(reader.laneReads.runOnce()).rejects.toThrow("away");
    await reader.laneReads.runOnce();
    expect(reader.seen).toHaveLength(3);
  });
});

describe("a schedule within the horizon", () => {
  it("is read once, in an awake lane or an idle one, and no other lane is read", async () => {
    const accounts = await Promise.all(Array.from({ length: 20 }, () => createTestAccount(sql, keyRing)));
    const [awake, idle] = accounts.map(({ id }) => id);
    await insertSchedules(
      sql,
      accounts.slice(2).map(({ id }) => id),
      TARGET,
      { rows: 1, fromMs: 1_000 },
    );
    await insertSchedules(sql, [awake as string], TARGET, { rows: 1, fromMs: 1_000 });
    await insertSchedules(sql, [awake as string], TARGET, { rows: 2, fromMs: 10_000 });
    const reader = createReader();
    await reader.calendar.runOnce();
    await reader.laneReads.runOnce();
    expect(reader.seen).toHaveLength(19);
    await insertSchedules(sql, [idle as string], TARGET, { rows: 1, fromMs: 10_000 });
    expect(await reader.calendar.runOnce()).toBe(0);
    expect(await reader.laneReads.runOnce()).toBe(0);
    reader.later(7_000);
    expect(await reader.calendar.runOnce()).toBeGreaterThanOrEqual(2);
    expect(await reader.laneReads.runOnce()).toBe(3);
    expect(new Set(reader.seen.slice(19).map(({ accountId }) => accountId))).toEqual(new Set([awake, idle]));
    expect(await reader.calendar.runOnce()).toBe(0);
    expect(await reader.laneReads.runOnce()).toBe(0);
  });

  it("is found by the next round when it is due in the millisecond in which a round ended", async () => {
    const [early, late] = await Promise.all([1, 2].map(() => createTestAccount(sql, keyRing)));
    const reader = createReader();
    await reader.calendar.runOnce();
    await insertSchedules(sql, [early?.id as string, late?.id as string], TARGET, { rows: 1, fromMs: 10_000 });
    const [first = 0] = await dueTimes();
    // This round ends 0.3 ms before the instant.
    reader.setClock(first - 0.3 - HORIZON_MS);
    expect(await reader.calendar.runOnce()).toBe(0);
    reader.setClock(first + 100 - HORIZON_MS);
    expect(await reader.calendar.runOnce()).toBe(2);
    expect(await reader.laneReads.runOnce()).toBe(2);
  });

  it("is found when its lane was read up to an earlier schedule between two rounds of the calendar", async () => {
    const { id } = await createTestAccount(sql, keyRing);
    await insertSchedules(sql, [id], TARGET, { rows: 1, fromMs: 1_000 });
    const reader = createReader();
    await reader.calendar.runOnce();
    // The lane has two schedules beyond the horizon. It is read again between two rounds of the calendar, up to the first.
    await insertSchedules(sql, [id], TARGET, { rows: 2, fromMs: 5_000, everyMs: 1_000 });
    const [, , last = 0] = await dueTimes();
    reader.setClock(last - 500 - HORIZON_MS);
    expect(await reader.laneReads.runOnce()).toBe(2);
    reader.setClock(last + 500 - HORIZON_MS);
    expect(await reader.calendar.runOnce()).toBe(1);
    expect(await reader.laneReads.runOnce()).toBe(1);
    expect(reader.seen).toHaveLength(3);
  });

  it("is read once when it comes within the horizon while its lane is being read, even if that read does not cover it", async () => {
    const { id } = await createTestAccount(sql, keyRing);
    await insertSchedules(sql, [id], TARGET, { rows: 1, fromMs: 1_000 });
    await insertSchedules(sql, [id], TARGET, { rows: 3, fromMs: 4_500 });
    await insertSchedules(sql, [id], TARGET, { rows: 1, fromMs: 5_500 });
    const reader = createReader();
    const [, next = 0, , , last = 0] = await dueTimes();
    reader.setClock(next - 500 - HORIZON_MS);
    await reader.calendar.runOnce();
    reader.setClock(next + 500 - HORIZON_MS);
    reader.during(async () => {
      reader.setClock(last + 500 - HORIZON_MS);
      expect(await reader.calendar.runOnce()).toBe(1);
    });
    expect(await reader.laneReads.runOnce()).toBe(4);
    expect(await reader.laneReads.runOnce()).toBe(1);
    expect(await reader.laneReads.runOnce()).toBe(0);
    expect(reader.seen).toHaveLength(5);
  });

  it("is read in portions when more schedules are due at one instant than one statement reads", async () => {
    const accounts = await Promise.all(Array.from({ length: 2 }, () => createTestAccount(sql, keyRing)));
    const reader = createReader();
    await reader.calendar.runOnce();
    for (const { id } of accounts) {
      await insertSchedules(sql, [id], TARGET, { rows: 300, fromMs: 10_000, everyMs: 0 });
    }
    await insertSchedules(sql, [accounts[0]?.id as string], TARGET, { rows: 1, fromMs: 10_500 });
    reader.later(7_000);
    let rounds = 0;
    do {
      await reader.calendar.runOnce();
      rounds++;
    } while (reader.calendar.hasMore() && rounds < 10);
    expect(rounds).toBeGreaterThan(1);
    for (let n = 0; n < 20; n++) await reader.readAll();
    expect(new Set(reader.seen.map(({ id }) => id)).size).toBe(601);
  });
});

describe("a lane without schedules", () => {
  it("goes back into the calendar, and is woken by a create", async () => {
    const account = await createTestAccount(sql, keyRing);
    await insertSchedules(sql, [account.id], TARGET, { rows: 1, fromMs: -1_000 });
    await insertSchedules(sql, [account.id], TARGET, { rows: 1, fromMs: 60_000 });
    const reader = createReader();
    await reader.calendar.runOnce();
    await reader.readAll();
    for (let n = 0; n < 3; n++) {
      reader.pass(6_000);
      await reader.laneReads.runOnce();
      await reader.idle.runOnce();
    }
    expect(reader.lanes.size).toBe(0);
    const [entry] =
      await sql`SELECT due_at > now() + interval '50 s' AS later FROM lanes WHERE account_id = ${account.id}`;
    expect(entry?.later).toBe(true);
    await insertSchedules(sql, [account.id], TARGET, { rows: 1, fromMs: 1_000 });
    await reader.calendar.runOnce();
    expect(reader.lanes.size).toBe(1);
    await reader.laneReads.runOnce();
    expect(reader.seen).toHaveLength(2);
  });

  it("stays awake when a schedule is announced while its entry is raised", async () => {
    const account = await createTestAccount(sql, keyRing);
    await insertSchedules(sql, [account.id], TARGET, { rows: 1, fromMs: -1_000 });
    const reader = createReader();
    await reader.calendar.runOnce();
    await reader.readAll();
    reader.pass(12_000);
    await reader.laneReads.runOnce();
    reader.during(async () => {
      const announcedMs = Date.now() + 500;
      await insertSchedules(sql, [account.id], TARGET, { rows: 1, fromMs: 1_000 });
      reader.pass(1);
      const lane = reader.lanes.get(laneKey({ accountId: account.id, env: "live" }));
      if (lane) reader.lanes.readAgain(lane, announcedMs);
    });
    await reader.idle.runOnce();
    expect(reader.lanes.size).toBe(1);
    await reader.laneReads.runOnce();
    expect(reader.seen).toHaveLength(2);
  });
});
