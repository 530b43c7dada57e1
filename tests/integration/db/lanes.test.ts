import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { recordAttempts } from "#db/queries/attempts/record.ts";
import { cancelOpenSchedule } from "#db/queries/schedules/cancel.ts";
import { createSchedule } from "#db/queries/schedules/create.ts";
import { createSchedules } from "#db/queries/schedules/create-bulk.ts";
import { after, BEFORE_ALL, readDueById } from "#db/queries/schedules/due.ts";
import {
  auditLanes,
  BEFORE_ALL_LANES,
  type LaneId,
  raiseLanes,
  readDueLanes,
  readDueOfLanes,
} from "#db/queries/schedules/due-lanes.ts";
import { releaseSchedules } from "#db/queries/schedules/release.ts";
import { updateScheduled } from "#db/queries/schedules/reschedule.ts";
import { enterLanes, lanesTooLate } from "../../helpers/lanes.ts";
import { runJob } from "../../helpers/retention-jobs.ts";
import {
  createLaneHarness,
  interrupted,
  type LaneHarness,
  LIMITS,
  newSchedule,
  outcomeOf,
  rejected,
} from "./lane-harness.ts";

let harness: LaneHarness;
let lane: LaneId;
/** One hour from now. The schedules of a test are due by then. */
let hourMs: number;

beforeAll(async () => {
  harness = await createLaneHarness();
});
afterAll(() => harness.close());
beforeEach(async () => {
  await harness.web`TRUNCATE schedules, schedule_requests, lanes`;
  lane = { accountId: await harness.account(), env: "live" };
  hourMs = Date.now() + 3_600_000;
});

const create = async (fireAtMs: number | null, { env = lane.env, early = false } = {}): Promise<string> => {
  const schedule = newSchedule(fireAtMs, { earlyFire: early });
  const creation = await createSchedule(harness.web, { ...lane, env }, LIMITS, schedule);
  expect(creation.outcome).toBe("created");
  return schedule.id;
};
const createMany = (fireAtMs: (number | null)[], sealed: Buffer | null = null) =>
  createSchedules(
    harness.web,
    lane,
    LIMITS,
    fireAtMs.map((at) => newSchedule(at, { sealed })),
    () => {},
  );
const move = (id: string, fireAtMs: number) =>
  updateScheduled(harness.db, lane, id, { fireTime: { atMs: fireAtMs }, earlyFire: undefined });
const setStatus = (status: string) => harness.web`UPDATE accounts SET status = ${status} WHERE id = ${lane.accountId}`;
const raise = async () => {
  const [raised] = await raiseLanes(harness.dispatcher, [lane]);
  return raised?.dueAtMs;
};
const entry = () => harness.entry(lane);
async function claim(id: string, earlyMs = 0) {
  const [claimed] = await harness.claim([id], earlyMs);
  if (!claimed) throw new Error("the schedule was not claimed");
  return claimed;
}
const dueAt = async (id: string): Promise<number> => {
  const [row] =
    await harness.web`SELECT extract(epoch FROM next_attempt_at)::float8 * 1000 AS ms FROM schedules WHERE id = ${id}`;
  return row?.ms;
};
/** The row's place in the table, which changes with each write. */
const written = async () => (await harness.web`SELECT ctid::text, xmin::text, xmax::text FROM lanes`)[0];

describe("the calendar entry of a lane", () => {
  it("is created by the first create, and lowered by a create that is due earlier", async () => {
    await create(hourMs);
    expect(await entry()).toBe(hourMs);
    await create(hourMs - 1);
    expect(await entry()).toBe(hourMs - 1);
    expect(await harness.entry({ ...lane, env: "test" })).toBeUndefined();
  });

  it("is neither written nor locked by a create that is due later, single or bulk", async () => {
    await create(hourMs);
    const before = await written();
    await create(hourMs + 1);
    await create(hourMs);
    await createMany([hourMs + 5, hourMs + 7]);
    expect(await written()).toEqual(before);
  });

  it("is lowered to the earliest schedule of a bulk call", async () => {
    await createMany([hourMs + 2, hourMs, hourMs + 1]);
    expect(await entry()).toBe(hourMs);
    await createMany([hourMs + 2, hourMs - 3]);
    expect(await entry()).toBe(hourMs - 3);
  });

  it("is lowered to the earliest schedule of a bulk call in several slices, in whichever slice it is", async () => {
    const megabytes = Buffer.alloc(3 * 1024 * 1024);
    await createMany([hourMs + 2, hourMs, hourMs + 1], megabytes);
    expect(await entry()).toBe(hourMs);
    await createMany([hourMs + 2, hourMs + 1, hourMs - 3], megabytes);
    expect(await entry()).toBe(hourMs - 3);
  });

  it("is not created by calls that create nothing", async () => {
    await createMany([Date.now() - 1_000]);
    await createSchedule(harness.web, lane, { ...LIMITS, graceLimit: 0 }, newSchedule(hourMs));
    expect(await entry()).toBeUndefined();
  });

  it("is lowered by a reschedule to an earlier instant, and not changed by one to a later instant", async () => {
    const id = await create(hourMs);
    await move(id, hourMs + 1);
    expect(await entry()).toBe(hourMs);
    expect(await raise()).toBe(hourMs + 1);
    await move(id, hourMs - 1);
    expect(await entry()).toBe(hourMs - 1);
  });

  it("is neither changed nor locked by a claim and by the record of a success", async () => {
    const [id, other] = [await create(null), await create(hourMs)];
    const before = await written();
    await recordAttempts(harness.dispatcher, [outcomeOf(await claim(id))]);
    await cancelOpenSchedule(harness.db, lane, other);
    expect(await written()).toEqual(before);
  });

  it("covers a retry that is due before its attempt was, as after early fire", async () => {
    const fireAtMs = Date.now() + 400;
    const id = await create(fireAtMs, { early: true });
    const claimed = await claim(id, 500);
    await recordAttempts(harness.dispatcher, [outcomeOf(claimed, rejected(fireAtMs - 50))]);
    expect(await entry()).toBe(fireAtMs - 50);
  });

  it("covers a retry of a lane that was idle while its attempt was in flight", async () => {
    const id = await create(null);
    const claimed = await claim(id);
    expect(await raise()).toBeUndefined();
    await recordAttempts(harness.dispatcher, [outcomeOf(claimed, rejected(hourMs))]);
    expect(await entry()).toBeLessThanOrEqual(hourMs);
    expect(await raise()).toBe(hourMs);
  });

  it("covers a schedule that is released, also in a lane that was idle meanwhile", async () => {
    const id = await create(null);
    const claimed = await claim(id);
    expect(await raise()).toBeUndefined();
    await releaseSchedules(harness.dispatcher, harness.dispatcherId, [claimed]);
    expect(await entry()).toBe(await dueAt(id));
  });

  it("covers the retry of an attempt that was recovered as interrupted", async () => {
    const claimed = await claim(await create(null));
    const next = interrupted({ status: "failed", nextAttemptAtMs: claimed.dueAtMs - 1 });
    await recordAttempts(harness.dispatcher, [outcomeOf(claimed, next)]);
    expect(await entry()).toBe(claimed.dueAtMs - 1);
  });

  it("is created again by a late outcome that turns a dead schedule into a failed one", async () => {
    const claimed = await claim(await create(null));
    await recordAttempts(harness.dispatcher, [
      outcomeOf(claimed, interrupted({ status: "dead", nextAttemptAtMs: null })),
    ]);
    expect(await raise()).toBeNull();
    expect(await recordAttempts(harness.dispatcher, [outcomeOf(claimed, rejected(hourMs))])).toHaveLength(1);
    expect(await entry()).toBe(hourMs);
  });

  it("is lowered by a late outcome whose retry is due before the retry of the interruption", async () => {
    const claimed = await claim(await create(null));
    const recovered = interrupted({ status: "failed", nextAttemptAtMs: hourMs });
    await recordAttempts(harness.dispatcher, [outcomeOf(claimed, recovered)]);
    expect(await raise()).toBe(hourMs);
    await recordAttempts(harness.dispatcher, [outcomeOf(claimed, rejected(hourMs - 1))]);
    expect(await entry()).toBe(hourMs - 1);
  });

  it("is emptied when the account is deactivated, and created again in both environments when it is reactivated", async () => {
    await create(hourMs);
    await create(hourMs + 1, { env: "test" });
    await setStatus("deactivated");
    expect(await raise()).toBeNull();
    await setStatus("active");
    expect([await entry(), await harness.entry({ ...lane, env: "test" })]).toEqual([hourMs, hourMs + 1]);
  });

  it("covers, after an account was reactivated, an attempt that is in flight and then released", async () => {
    const claimed = await claim(await create(null));
    await create(hourMs);
    await setStatus("deactivated");
    await harness.web`UPDATE lanes SET due_at = NULL`;
    await setStatus("active");
    await releaseSchedules(harness.dispatcher, harness.dispatcherId, [claimed]);
    expect(await entry()).toBe(claimed.dueAtMs);
  });

  it("is erased with the account", async () => {
    await create(hourMs);
    await setStatus("deleted");
    await runJob(harness.dispatcher, "deleted accounts");
    expect(await entry()).toBeUndefined();
  });
});

describe("raising a lane", () => {
  it("sets the entry to the oldest open schedule, and to null when there is none", async () => {
    const [first, second] = [await create(hourMs), await create(hourMs + 5)];
    expect(await raise()).toBe(hourMs);
    await cancelOpenSchedule(harness.db, lane, first);
    expect(await raise()).toBe(hourMs + 5);
    expect(await entry()).toBe(hourMs + 5);
    await cancelOpenSchedule(harness.db, lane, second);
    expect(await raise()).toBeNull();
    expect(await entry()).toBeNull();
  });

  it("skips a lane in which a create is in progress, without waiting, and raises the others", async () => {
    await create(hourMs);
    const busy = lane;
    lane = { accountId: await harness.account(), env: "live" };
    await create(hourMs);
    await harness.web`UPDATE lanes SET due_at = now()`;
    await harness.web.begin(async (tx) => {
      await createSchedule(tx as never, busy, LIMITS, newSchedule(hourMs + 1));
      expect(await raiseLanes(harness.dispatcher, [busy, lane])).toEqual([{ ...lane, dueAtMs: hourMs }]);
    });
    expect(await raiseLanes(harness.dispatcher, [busy])).toEqual([{ ...busy, dueAtMs: hourMs }]);
  });

  it("blocks a create until the raise is committed, and that create then lowers the entry", async () => {
    const id = await create(hourMs);
    await cancelOpenSchedule(harness.db, lane, id);
    const creating = await harness.dispatcher.begin(async (tx) => {
      expect(await raiseLanes(tx as never, [lane])).toEqual([{ ...lane, dueAtMs: null }]);
      const creating = create(hourMs + 1);
      await expect
        .poll(async () => {
          const [row] = await tx`SELECT count(*)::int AS n FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'`;
          return row?.n;
        })
        .toBe(1);
      return { creating };
    });
    await creating.creating;
    expect(await entry()).toBe(hourMs + 1);
  });

  it("does not create missing entries", async () => {
    expect(await raiseLanes(harness.dispatcher, [lane])).toEqual([]);
    expect(await raiseLanes(harness.dispatcher, [])).toEqual([]);
  });
});

describe("the audit of the calendar", () => {
  it("enters missing lanes, lowers late entries, counts both and changes no other", async () => {
    const lanes: LaneId[] = [];
    for (let n = 0; n < 5; n++) {
      lane = { accountId: await harness.account(), env: "live" };
      lanes.push(lane);
      await create(hourMs);
      await create(hourMs + n, { env: "test" });
    }
    const [missing, empty, late, inactive, low] = lanes as [LaneId, LaneId, LaneId, LaneId, LaneId];
    const change = ({ accountId }: LaneId, at: number | null) =>
      harness.web`UPDATE lanes SET due_at = to_timestamp(${at}::float8 / 1000) WHERE account_id = ${accountId} AND env = 'live'`;
    await harness.web`DELETE FROM lanes WHERE account_id = ${missing.accountId} AND env = 'live'`;
    await change(empty, null);
    await change(late, hourMs + 1);
    await change(low, hourMs - 1);
    await harness.web`UPDATE accounts SET status = 'deactivated' WHERE id = ${inactive.accountId}`;
    await change(inactive, null);
    expect(await lanesTooLate(harness.web)).toHaveLength(3);

    const seen = { missing: 0, late: 0, steps: 0 };
    let next: LaneId | null = null;
    do {
      const step: Awaited<ReturnType<typeof auditLanes>> = await auditLanes(harness.dispatcher, next, 3);
      seen.missing += step.missing;
      seen.late += step.late;
      seen.steps += 1;
      next = step.next;
    } while (next);
    expect(seen).toMatchObject({ missing: 2, late: 1 });
    expect(seen.steps).toBeGreaterThan(2);
    const entries = await Promise.all(lanes.map((one) => harness.entry(one)));
    expect(entries).toEqual([hourMs, hourMs, hourMs, null, hourMs - 1]);
    expect(await lanesTooLate(harness.web)).toEqual([]);
    expect(await auditLanes(harness.dispatcher, null, 100)).toEqual({ missing: 0, late: 0, next: null });
  });

  it("enters a schedule that was inserted by hand", async () => {
    await harness.web`
      INSERT INTO schedules (id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin)
      SELECT gen_random_uuid(), id, 'live', shard, false, at, at, 0, 0, '' FROM accounts,
        to_timestamp(${hourMs}::float8 / 1000) at WHERE id = ${lane.accountId}`;
    expect(await entry()).toBeUndefined();
    await enterLanes(harness.web);
    expect(await entry()).toBe(hourMs);
  });
});

describe("reading the calendar", () => {
  const shardOf = async () =>
    (await harness.web`SELECT shard FROM accounts WHERE id = ${lane.accountId}`)[0]?.shard as number;

  it("finds the due lanes of a shard in the order of their entries, page by page", async () => {
    for (let n = 0; n < 7; n++) await create(hourMs + (n % 3), { env: "live" });
    const shard = await shardOf();
    await harness.web`
      INSERT INTO lanes SELECT gen_random_uuid(), 'test', ${shard}, to_timestamp((${hourMs}::float8 + n % 3) / 1000)
      FROM generate_series(1, 20) n`;
    await harness.web`INSERT INTO lanes SELECT gen_random_uuid(), 'live', ${shard}, NULL FROM generate_series(1, 3)`;
    const read = (from = BEFORE_ALL_LANES, limit = 100, untilMs = hourMs + 1) =>
      readDueLanes(harness.dispatcher, [{ id: shard, from }], untilMs, limit);
    const all = await read();
    expect(all).toHaveLength(14);
    expect(all.every((one) => one.shard === shard && one.dueAtMs <= hourMs + 1)).toBe(true);
    const paged = [];
    for (let page = await read(BEFORE_ALL_LANES, 4); page.length > 0; ) {
      paged.push(...page);
      const { accountId, env, dueAtMs } = page.at(-1) as (typeof page)[number];
      page = await read({ accountId, env, ms: dueAtMs }, 4);
    }
    expect(paged).toEqual(all);
    expect(await read(BEFORE_ALL_LANES, 100, hourMs - 1)).toEqual([]);
    expect(
      await readDueLanes(harness.dispatcher, [{ id: (shard + 1) % 64, from: BEFORE_ALL_LANES }], hourMs, 9),
    ).toEqual([]);
    const both = [shard, (shard + 1) % 64].map((id) => ({ id, from: BEFORE_ALL_LANES }));
    expect(await readDueLanes(harness.dispatcher, both, hourMs + 1, 100)).toEqual(all);
  });

  it("returns the rows of each lane behind its place and up to its instant, in due order, and no more than its limit", async () => {
    await harness.web`INSERT INTO relay_settings (account_id, cps_limit) VALUES (${lane.accountId}, 3)`;
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) ids.push(await create(hourMs + Math.floor(n / 2)));
    const order = (await harness.web`SELECT id FROM schedules ORDER BY next_attempt_at, id`).map((row) => row.id);
    const read = async (from = BEFORE_ALL, limit = 100, untilMs = hourMs + 100) =>
      (await readDueOfLanes(harness.dispatcher, [{ ...lane, from, untilMs, limit }])).map(({ id }) => id);
    expect(await read()).toEqual(order);
    expect(await read(BEFORE_ALL, 3)).toEqual(order.slice(0, 3));
    expect(await read({ ms: hourMs + 1, id: order[2] })).toEqual(order.slice(3));
    expect(await read(after(hourMs))).toEqual(order.slice(2));
    expect(await read(BEFORE_ALL, 100, hourMs + 1)).toEqual(order.slice(0, 4));
    expect(await read(BEFORE_ALL, 100, hourMs + 0.5)).toEqual(order.slice(0, 2));

    const first = lane;
    lane = { accountId: await harness.account(), env: "test" };
    const other = await create(hourMs - 1);
    const whole = { from: BEFORE_ALL, untilMs: hourMs + 1, limit: 2 };
    const read2 = await readDueOfLanes(harness.dispatcher, [
      { ...first, ...whole },
      { ...lane, ...whole },
    ]);
    expect(read2.map(({ id, cpsLimit, env }) => [id, cpsLimit, env])).toEqual([
      [order[0], 3, "live"],
      [order[1], 3, "live"],
      [other, null, "test"],
    ]);
    expect(await readDueById(harness.dispatcher, [order[0]], hourMs)).toEqual(read2.slice(0, 1));
    expect(read2[2]).toMatchObject({
      version: 1,
      dueAtMs: hourMs - 1,
      early: false,
      isRetry: false,
      plan: "indie",
      bytes: 0,
    });
  });

  it("returns nothing of a deactivated account", async () => {
    const id = await create(hourMs);
    await setStatus("deactivated");
    const wanted = [{ ...lane, from: BEFORE_ALL, untilMs: hourMs, limit: 9 }];
    expect(await readDueOfLanes(harness.dispatcher, wanted)).toEqual([]);
    expect(await readDueById(harness.dispatcher, [id], hourMs)).toEqual([]);
  });
});

describe("a NOTIFY about due schedules", () => {
  /** The notifications received while `work` runs. */
  async function notificationsDuring(work: () => Promise<unknown>): Promise<string[]> {
    const notifications: string[] = [];
    const listener = await harness.web.listen("stopwatch_due", (payload) => notifications.push(payload));
    await work();
    await harness.web.notify("stopwatch_due", "end");
    await expect.poll(() => notifications).toContain("end");
    await listener.unlisten();
    return notifications.slice(0, -1);
  }
  const notice = async (id: string, count: number) => {
    const [row] = await harness.web`SELECT shard FROM accounts WHERE id = ${lane.accountId}`;
    return `${row?.shard}:${id}:${lane.accountId}:live:${await dueAt(id)}:${count}`;
  };
  const soonMs = () => Date.now() + 3_000;
  const idsOf = (creations: Awaited<ReturnType<typeof createMany>>) =>
    typeof creations === "string" ? [] : creations.map((one) => ("id" in one ? one.id : ""));

  it("names the lane of a schedule that is created or moved to be due soon, and its instant", async () => {
    const ids: string[] = [];
    const notifications = await notificationsDuring(async () => {
      ids.push(await create(soonMs()), await create(null), await create(hourMs));
      await move(ids[2] as string, soonMs());
    });
    expect(notifications).toEqual(await Promise.all(ids.map((id) => notice(id, 1))));
  });

  it("is sent once for a bulk call, with the earliest schedule that is due soon and the number of such schedules", async () => {
    const soon = soonMs();
    let ids: string[] = [];
    const notifications = await notificationsDuring(async () => {
      ids = idsOf(await createMany([hourMs, soon + 2, soon, soon + 1]));
      await createMany([hourMs, hourMs + 1]);
    });
    expect(notifications).toEqual([await notice(ids[2] as string, 3)]);
  });

  it("is sent once for a bulk call in several slices", async () => {
    const soon = soonMs();
    let ids: string[] = [];
    const notifications = await notificationsDuring(async () => {
      ids = idsOf(await createMany([soon + 2, soon, soon + 1], Buffer.alloc(3 * 1024 * 1024)));
    });
    expect(notifications).toEqual([await notice(ids[1] as string, 3)]);
  });

  it("is sent when a schedule is put back whose shard another dispatcher has taken meanwhile", async () => {
    const ids = [await create(null), await create(null)];
    const claims = [await claim(ids[0] as string), await claim(ids[1] as string)];
    const putBack = (n: number) => releaseSchedules(harness.dispatcher, harness.dispatcherId, claims.slice(n, n + 1));
    const notifications = await notificationsDuring(async () => {
      await putBack(0);
      await harness.web`UPDATE shards SET owner = gen_random_uuid() WHERE id = (
        SELECT shard FROM accounts WHERE id = ${lane.accountId})`;
      await putBack(1);
    });
    expect(notifications).toEqual([await notice(ids[1] as string, 1)]);
  });
});
