// Guards: dispatcher/operations/**, db/queries/operations/**, contract/inputs/operation-input.ts, server/operations/**, domain/operations.ts
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connectOrm, type OrmDatabase } from "#db/orm.ts";
import { acceptOperation, type NewOperation, stopRunningOperation } from "#db/queries/operations/operations.ts";
import { readRunningFigures } from "#db/queries/operations/running.ts";
import {
  findWaitingOperations,
  type RunningOperation,
  recordStepFailure,
  takeStep,
} from "#db/queries/operations/steps.ts";
import { runStep } from "#dispatcher/operations/step.ts";
import { newId } from "#domain/ids.ts";
import type { OperationFilter } from "#domain/operations.ts";
import { SHARDS } from "#domain/shard-share.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { freePort } from "#scripts/ports.ts";
import { createTestSchedules } from "#tests/helpers/many-schedules.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { runJob } from "../../helpers/retention-jobs.ts";
import { waitFor } from "../../helpers/wait-for.ts";

let harness: DispatchHarness;
let receiver: Receiver;
let orm: OrmDatabase;
let account: Awaited<ReturnType<DispatchHarness["account"]>>;

beforeEach(async () => {
  receiver = await startReceiver({ tls: false });
  harness = await createDispatchHarness({ DELIVERY_DENY: "denied.example.com", DELIVERY_ALLOW: receiver.origin });
  orm = connectOrm({ url: harness.databaseUrl, name: "test", connectionsMax: 2 });
  account = await harness.account();
});
afterEach(async () => {
  await orm.close();
  await harness.close();
  await receiver.close();
});

const LATER = new Date(Date.now() + 86_400_000);
const TARGET = "https://example.com/hook";
const ALL: OperationFilter = { statuses: null, q: null, fromMs: null, toMs: null };

type Scope = { filter: Partial<OperationFilter> } | { ids: string[] };

/** Accepts an operation as the API does; returns its UUID. */
async function accept(action: "cancel" | "replay", scope: Scope, of = account, env: "live" | "test" = "live") {
  const what: Pick<NewOperation, "filter" | "scheduleIds"> =
    "ids" in scope
      ? { filter: null, scheduleIds: scope.ids }
      : { filter: { ...ALL, ...scope.filter }, scheduleIds: null };
  const wanted = { action, idempotencyKey: null, requestHash: Buffer.alloc(0), total: 1, totalCapped: true, ...what };
  const accepted = await orm.run(5_000, ({ db }) =>
    acceptOperation(db, { accountId: of.id, env }, 1_000, wanted as NewOperation),
  );
  if (accepted.outcome !== "accepted") throw new Error(`expected it to be accepted, got ${accepted.outcome}`);
  return accepted.operation.id;
}

function rules() {
  const { keyRing, targetPolicy, plans } = harness.config;
  return { keyRing, targetPolicy, plans };
}

/** One step, as a dispatcher takes it; false when it takes none. */
async function step(id: string): Promise<boolean> {
  return takeStep(
    harness.sql as never,
    id,
    () => 0,
    (tx, operation) => runStep(tx, operation, rules()),
  );
}

async function finish(id: string) {
  while ((await read(id)).status === "running") await step(id);
  return read(id);
}

async function finished(id: string): Promise<string> {
  await finish(id);
  return id;
}

async function read(id: string) {
  const [row] = await harness.sql`
    SELECT status, acted::int, left_alone AS "leftAlone", scanned::int, failures, error_code AS "errorCode",
      ended_at AS "endedAt" FROM operations WHERE id = ${id}`;
  return row as { status: string; acted: number; leftAlone: object; scanned: number; failures: number; endedAt: Date };
}

/** How many schedules the account has in each status. */
async function statuses(of = account) {
  const rows = await harness.sql`
    SELECT status, count(*)::int AS n FROM schedules WHERE account_id = ${of.id} GROUP BY status ORDER BY status`;
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
}

const create = (overrides?: Parameters<DispatchHarness["schedule"]>[3], url = TARGET) =>
  harness.schedule(account, url, LATER, overrides);

async function end(id: string, status: "succeeded" | "dead" | "cancelled", at = new Date()) {
  await harness.sql`
    UPDATE schedules SET status = ${status}, attempts = 1, next_attempt_at = NULL, ended_at = ${at}, updated_at = ${at}
    WHERE id = ${id}`;
}

async function fail(id: string, at = new Date()) {
  await harness.sql`
    UPDATE schedules SET status = 'failed', attempts = 1, fired_at = ${at}, offset_ms = 0, last_attempt_at = ${at}
    WHERE id = ${id}`;
}

async function claim(id: string) {
  await harness.sql`
    UPDATE schedules SET status = 'firing', attempts = 1, claimed_at = now(), claim_deadline = now() + interval '35 s'
    WHERE id = ${id}`;
}

describe("a cancel", () => {
  it("cancels what is scheduled or waits for a retry, leaves the rest alone, and says why", async () => {
    const ids = await Promise.all(Array.from({ length: 7 }, () => create()));
    const [, failed = "", firing = "", succeeded = "", dead = "", cancelled = ""] = ids;
    await fail(failed);
    await claim(firing);
    await end(succeeded, "succeeded");
    await end(dead, "dead");
    await end(cancelled, "cancelled");
    const id = await accept("cancel", { filter: {} });
    expect(await finish(id)).toMatchObject({
      status: "done",
      acted: 3,
      scanned: 7,
      leftAlone: { firing: 1, succeeded: 1, dead: 1, cancelled: 1 },
    });
    expect(await statuses()).toEqual({ cancelled: 4, firing: 1, succeeded: 1, dead: 1 });
    const [row] = await harness.sql`SELECT version, next_attempt_at, ended_at FROM schedules WHERE id = ${failed}`;
    expect(row).toMatchObject({ version: "2", next_attempt_at: null, ended_at: expect.any(Date) });
  });

  it("of chosen schedules touches no others, and leaves alone what is not the account's", async () => {
    const [mine = "", other] = [await create(), await create()];
    const stranger = await harness.account();
    const theirs = await harness.schedule(stranger, TARGET, LATER);
    const test = await create({ env: "test" });
    const id = await accept("cancel", { ids: [mine, theirs, test, newId(Date.now())] });
    expect(await finish(id)).toMatchObject({ status: "done", acted: 1, leftAlone: { not_found: 3 } });
    for (const kept of [other, theirs, test]) expect((await harness.read(kept as string)).status).toBe("scheduled");
  });

  it.each(["done", "failed"] as const)(
    "keeps the ids of chosen schedules until it is %s, and no longer",
    async (end) => {
      const id = await accept("cancel", { ids: [await create(), await create()] });
      const idsOf = async () =>
        (await harness.sql`SELECT cardinality(schedule_ids) AS n FROM operations WHERE id = ${id}`)[0]?.n;
      const fail = () => orm.run(5_000, ({ sql }) => recordStepFailure(sql, id, 2));
      if (end === "failed") await fail();
      expect(await idsOf()).toBe(2);
      await (end === "failed" ? fail() : finish(id));
      expect([(await read(id)).status, await idsOf()]).toEqual([end, 0]);
    },
  );

  it("leaves alone what was created after it was accepted", async () => {
    await create();
    const id = await accept("cancel", { filter: {} });
    await harness.sql`SELECT pg_sleep(0.01)`;
    const later = await create();
    expect(await finish(id)).toMatchObject({ status: "done", acted: 1 });
    expect((await harness.read(later)).status).toBe("scheduled");
  });

  it("with a status acts on the schedules that had it when it was accepted, and on none that got it later", async () => {
    const [waiting = "", retried = ""] = [await create(), await create()];
    await fail(retried);
    const id = await accept("cancel", { filter: { statuses: ["failed"] } });
    await harness.sql`SELECT pg_sleep(0.01)`;
    await fail(waiting);
    expect(await finish(id)).toMatchObject({ acted: 1, leftAlone: {} });
    expect((await harness.read(waiting)).status).toBe("failed");
    expect((await harness.read(retried)).status).toBe("cancelled");
  });

  it("counts schedules that matched when it was accepted and were delivered meanwhile", async () => {
    const [first = ""] = [await create(), await create()];
    const id = await accept("cancel", { filter: { statuses: ["scheduled"] } });
    await harness.sql`SELECT pg_sleep(0.01)`;
    await end(first, "succeeded");
    expect(await finish(id)).toMatchObject({ acted: 1, leftAlone: { succeeded: 1 } });
  });

  it("within a range leaves alone schedules that were rescheduled after it was accepted", async () => {
    const [moved] = [await create(), await create()];
    const id = await accept("cancel", { filter: { toMs: LATER.getTime() + 1 } });
    await harness.sql`SELECT pg_sleep(0.01)`;
    await harness.sql`
      UPDATE schedules SET fire_at = fire_at - interval '1 hour', next_attempt_at = fire_at - interval '1 hour',
        updated_at = clock_timestamp() WHERE id = ${moved}`;
    expect(await finish(id)).toMatchObject({ acted: 1, leftAlone: { rescheduled: 1 } });
  });

  it("filters by part of the target, by a whole id and by range", async () => {
    const [a, , c] = [
      await create({}, "https://example.com/alpha"),
      await create({}, "https://example.com/beta"),
      await harness.schedule(account, TARGET, new Date(LATER.getTime() + 3_600_000)),
    ];
    const q = (text: string, scheduleId: string | null = null) => ({ filter: { q: { text, scheduleId } } });
    expect(await finish(await accept("cancel", q("ALPHA")))).toMatchObject({ acted: 1 });
    expect(await finish(await accept("cancel", { filter: { fromMs: LATER.getTime() + 1 } }))).toMatchObject({
      acted: 1,
    });
    expect((await harness.read(a as string)).status).toBe("cancelled");
    expect((await harness.read(c as string)).status).toBe("cancelled");
    expect(await finish(await accept("cancel", q("sch_x", a as string)))).toMatchObject({
      acted: 0,
      leftAlone: { cancelled: 1 },
    });
    expect(await statuses()).toEqual({ cancelled: 2, scheduled: 1 });
  });
});

describe("a filter of host, answer, lateness, key and operation", () => {
  /** Makes a schedule one that waits for a retry after this answer (null: none) and this lateness. */
  const fail = (id: string, statusCode: number | null, lateMs: number, at = new Date()) => harness.sql`
    UPDATE schedules SET status = 'failed', attempts = 1, failures = 1, next_attempt_at = ${LATER}, fired_at = ${at},
      offset_ms = ${lateMs}, last_attempt_at = ${at}, last_status_code = ${statusCode}, last_error = 'no'
    WHERE id = ${id}`;

  it("finds exactly the schedules that the list shows", async () => {
    const hosts = [
      "https://one.example.com/a",
      "https://one.example.com:80/a",
      "https://two.example.com/one.example.com",
    ];
    const [a, b, c] = (await Promise.all(hosts.map((url) => create({}, url)))) as [string, string, string];
    await fail(a, 503, 250);
    await fail(b, null, 3);
    const narrower: [Partial<OperationFilter>, string[]][] = [
      [{ host: "one.example.com" }, [a]],
      [{ host: "one.example.com:80" }, [b]],
      [{ code: "5xx" }, [a]],
      [{ code: "none" }, [b]],
      [{ late: { fromMs: 250, toMs: null } }, [a]],
      [{ late: { fromMs: null, toMs: 249 } }, [b]],
      [{ code: "503", host: "two.example.com" }, []],
      [{ idempotencyKey: "no such key" }, []],
    ];
    for (const [filter, ids] of narrower) {
      const id = await accept("replay", { filter });
      expect(await finish(id), JSON.stringify(filter)).toMatchObject({ status: "done", acted: ids.length });
      const copies = await harness.sql`SELECT replay_of FROM schedule_requests WHERE operation_id = ${id}`;
      expect(copies.map(({ replay_of }) => replay_of)).toEqual(ids);
      const again = await accept("cancel", { filter: { operationId: id } });
      expect(await finish(again)).toMatchObject({ acted: ids.length });
    }
    expect((await harness.read(c)).status).toBe("scheduled");
  });

  it("counts the answer that a schedule had when the operation was accepted, also after another attempt", async () => {
    const [tried, later] = [await create(), await create()] as [string, string];
    const before = new Date(Date.now() - 60_000);
    await fail(tried, 503, 1, before);
    await harness.sql`
      INSERT INTO attempts (schedule_id, attempt, attempted_at, account_id, env, outcome, status_code, latency_ms, error_text)
      VALUES (${tried}, 1, ${before}, ${account.id}, 'live', 'rejected', 503, 1, 'no')`;
    const id = await accept("cancel", { filter: { code: "503" } });
    await fail(tried, 404, 1, new Date(Date.now() + 60_000));
    await fail(later, 503, 1, new Date(Date.now() + 60_000));
    expect(await finish(id)).toMatchObject({ acted: 1 });
    expect((await harness.read(tried)).status).toBe("cancelled");
    expect((await harness.read(later)).status).toBe("failed");
  });

  it("waits for a dispatcher that applies it: one of an earlier release does not see it", async () => {
    await create();
    const id = await accept("cancel", { filter: { host: "no.example.com" } });
    const { shard } = (await harness.sql`SELECT shard FROM accounts WHERE id = ${account.id}`)[0] as { shard: number };
    const seen =
      await harness.sql`SELECT id FROM operations WHERE status = 'running' AND shard = ANY (${[shard]}::smallint[])`;
    expect(seen).toEqual([]);
    const found = await findWaitingOperations(
      harness.sql as never,
      [shard],
      "00000000-0000-0000-0000-000000000000",
      10,
    );
    expect(found).toEqual([{ id, accountId: account.id }]);
  });
});

describe("a replay", () => {
  it("makes one copy of each, whatever its status, with payload and headers, and counts those of what is not dead", async () => {
    const ids = [await create({ payload: "hello", headers: [["X-A", "1"]], method: "PUT" }), await create()];
    await end(ids[0] as string, "dead");
    const id = await accept("replay", { ids });
    expect(await finish(id)).toMatchObject({ status: "done", acted: 2, leftAlone: {} });
    const copies = await harness.sql`
      SELECT r.replay_of, r.operation_id, r.method, s.payload_size_bytes, s.status FROM schedule_requests r
      JOIN schedules s ON s.id = r.schedule_id WHERE r.replay_of IS NOT NULL ORDER BY r.replay_of`;
    expect(copies).toMatchObject([
      { replay_of: ids[0], operation_id: id, method: "PUT", payload_size_bytes: 5, status: "scheduled" },
      { replay_of: ids[1], operation_id: id, method: "POST", payload_size_bytes: 0, status: "scheduled" },
    ]);
    const [usage] = await harness.sql`SELECT sum(scheduled)::int AS n FROM usage WHERE account_id = ${account.id}`;
    expect(usage?.n).toBe(3);
  });

  it("of all that match copies none of its own copies", async () => {
    await create();
    expect(await finish(await accept("replay", { filter: {} }))).toMatchObject({ acted: 1, scanned: 1 });
    expect(await statuses()).toEqual({ scheduled: 2 });
  });

  it("leaves alone schedules that were erased, cannot be decrypted, are too large for the plan or have a target that is no longer allowed", async () => {
    const [erased = "", unreadable = "", large = ""] = [
      await create({ payload: "x" }),
      await create({ payload: "x" }),
      await create({ payload: "x".repeat(60_000) }),
      await create({}, "https://denied.example.com/hook"),
      await create({ payload: "x" }),
    ];
    await harness.sql`UPDATE schedule_requests SET sealed = NULL, erased_at = now() WHERE schedule_id = ${erased}`;
    await harness.sql`UPDATE schedule_requests SET method = 'DELETE' WHERE schedule_id = ${unreadable}`;
    await harness.sql`UPDATE accounts SET plan = 'free' WHERE id = ${account.id}`;
    expect(await finish(await accept("replay", { filter: {} }))).toMatchObject({
      acted: 1,
      leftAlone: { erased: 1, unreadable: 1, payload_too_large: 1, target_not_allowed: 1 },
    });
    expect((await harness.read(large)).status).toBe("scheduled");
  });

  it("stops copying when the quota is used up, also in the middle of a step, and leaves the rest alone", async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => create()));
    const graceLimit = 55_000;
    await harness.sql`UPDATE usage SET scheduled = ${graceLimit - 3} WHERE account_id = ${account.id}`;
    expect(await finish(await accept("replay", { ids }))).toMatchObject({
      status: "done",
      acted: 3,
      leftAlone: { over_quota: 2 },
    });
    const [usage] = await harness.sql`SELECT scheduled FROM usage WHERE account_id = ${account.id}`;
    expect(usage?.scheduled).toBe(graceLimit);
  });
});

describe("a replay of dead schedules and others", () => {
  it("takes room in the quota for the others alone", async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => create()));
    for (const id of ids.slice(0, 3)) await end(id, "dead");
    for (const id of ids.slice(3)) await end(id, "succeeded");
    const graceLimit = 55_000;
    await harness.sql`UPDATE usage SET scheduled = ${graceLimit - 2} WHERE account_id = ${account.id}`;
    expect(await finish(await accept("replay", { ids }))).toMatchObject({ acted: 5, leftAlone: { over_quota: 1 } });
    const [usage] = await harness.sql`SELECT scheduled FROM usage WHERE account_id = ${account.id}`;
    expect(usage?.scheduled).toBe(graceLimit);
  });
});

describe("an operation", () => {
  it("that is stopped takes no further step", async () => {
    await createTestSchedules(harness.sql, account.id, 900, LATER);
    const id = await accept("cancel", { filter: {} });
    await step(id);
    const [stopped] = await harness.sql`
      UPDATE operations SET status = 'stopped', ended_at = now() WHERE id = ${id} RETURNING acted::int`;
    expect(stopped?.acted).toBe(400);
    expect(await step(id)).toBe(false);
    expect(await statuses()).toEqual({ cancelled: 400, scheduled: 500 });
  });

  it("is stopped after the step in progress, whose work counts", async () => {
    await createTestSchedules(harness.sql, account.id, 900, LATER);
    const id = await accept("cancel", { filter: {} });
    const held = Promise.withResolvers<void>();
    const isWorking = Promise.withResolvers<void>();
    const stepping = takeStep(
      harness.sql as never,
      id,
      () => 0,
      async (tx, operation) => {
        const done = await runStep(tx, operation, rules());
        isWorking.resolve();
        await held.promise;
        return done;
      },
    );
    await isWorking.promise;
    const stopping = orm.run(5_000, ({ db }) => stopRunningOperation(db, { accountId: account.id, env: "live" }, id));
    await waitFor("the stop waits", async () => {
      const [row] = await harness.sql`SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted`;
      return row?.n > 0;
    });
    held.resolve();
    expect(await stepping).toBe(true);
    expect(await stopping).toMatchObject({ status: "stopped", acted: 400 });
    expect(await statuses()).toEqual({ cancelled: 400, scheduled: 500 });
  });

  it("takes no step under a plan that has changed meanwhile", async () => {
    await create();
    const id = await accept("replay", { filter: {} });
    const former = (tx: never, operation: RunningOperation) => runStep(tx, { ...operation, plan: "free" }, rules());
    expect(await takeStep(harness.sql as never, id, () => 0, former as never)).toBe(false);
    expect(await read(id)).toMatchObject({ status: "running", acted: 0, scanned: 0 });
    expect(await finish(id)).toMatchObject({ acted: 1 });
  });

  it("is deleted 90 days after its end, and not before", async () => {
    await create();
    const [old, recent, running] = [
      await finished(await accept("cancel", { filter: {} })),
      await finished(await accept("cancel", { filter: {} })),
      await accept("cancel", { filter: {} }),
    ];
    await harness.sql`UPDATE operations SET ended_at = now() - interval '90 days 1 second' WHERE id = ${old}`;
    await harness.sql`UPDATE operations SET ended_at = now() - interval '89 days' WHERE id = ${recent}`;
    await harness.sql`UPDATE operations SET accepted_at = now() - interval '200 days' WHERE id = ${running}`;
    expect(await runJob(harness.sql as never, "operations")).toEqual([1]);
    const kept = await harness.sql`SELECT id FROM operations ORDER BY id`;
    expect(kept.map((row) => row.id)).toEqual([recent, running].toSorted());
  });

  it("is reported while it runs, with its remaining work and age, by the owner of its account's shard", async () => {
    await createTestSchedules(harness.sql, account.id, 900, LATER);
    const [{ shard } = { shard: -1 }] = await harness.sql`SELECT shard::int FROM accounts WHERE id = ${account.id}`;
    const all = Array.from({ length: SHARDS }, (_, n) => n);
    const figures = (shards = all) => readRunningFigures(harness.sql as never, shards);
    expect(await figures()).toEqual({ running: 0, left: 0, oldestS: 0 });
    const id = await accept("cancel", { filter: {} });
    await harness.sql`
      UPDATE operations SET total = 900, left_alone = '{"dead":100,"firing":50}', accepted_at = now() - interval '5 minutes'
      WHERE id = ${id}`;
    await finished(await accept("cancel", { ids: [newId(Date.now())] }));
    expect(await figures()).toEqual({ running: 1, left: 750, oldestS: expect.closeTo(300, -2) });
    expect(await figures(all.filter((one) => one !== shard))).toMatchObject({ running: 0, left: 0 });
    // More than was counted when it was accepted.
    await harness.sql`UPDATE operations SET acted = 10000 WHERE id = ${id}`;
    expect(await figures()).toMatchObject({ running: 1, left: 0 });
    await harness.sql`UPDATE accounts SET status = 'deactivated' WHERE id = ${account.id}`;
    expect(await figures()).toMatchObject({ running: 0 });
  });

  it("acts on each schedule once when two processes take a step at once", async () => {
    await createTestSchedules(harness.sql, account.id, 1_000, LATER);
    const id = await accept("replay", { filter: {} });
    while ((await read(id)).status === "running") await Promise.all([step(id), step(id), step(id)]);
    expect(await read(id)).toMatchObject({ acted: 1_000 });
    const [row] = await harness.sql`
      SELECT count(*)::int AS copies, count(DISTINCT replay_of)::int AS originals FROM schedule_requests
      WHERE replay_of IS NOT NULL`;
    expect(row).toEqual({ copies: 1_000, originals: 1_000 });
  });

  it("waits while its account is not active", async () => {
    await create();
    const id = await accept("cancel", { filter: {} });
    await harness.sql`UPDATE accounts SET status = 'deactivated' WHERE id = ${account.id}`;
    expect(await step(id)).toBe(false);
    await harness.sql`UPDATE accounts SET status = 'active' WHERE id = ${account.id}`;
    expect(await finish(id)).toMatchObject({ acted: 1 });
  });

  it("changes nothing in a step that fails, and continues where it was", async () => {
    await createTestSchedules(harness.sql, account.id, 450, LATER);
    const id = await accept("cancel", { filter: {} });
    await step(id);
    await harness.sql`ALTER TABLE operations ADD CONSTRAINT broken CHECK (acted <= 400)`;
    await expect(step(id)).rejects.toThrow(/broken/);
    expect(await statuses()).toEqual({ cancelled: 400, scheduled: 50 });
    await harness.sql`ALTER TABLE operations DROP CONSTRAINT broken`;
    expect(await finish(id)).toMatchObject({ acted: 450 });
  });
});

describe("a dispatcher", () => {
  it("carries out 10,000 cancels while 20 schedules of another account are delivered, one after the other", async () => {
    await createTestSchedules(harness.sql, account.id, 10_000, LATER);
    await harness.dispatcher();
    const other = await harness.account();
    const id = await accept("cancel", { filter: { statuses: ["scheduled"] } });
    await waitFor("it has begun", async () => (await read(id)).acted > 0);
    for (let n = 0; n < 20; n++) {
      const one = await harness.schedule(other, `${receiver.origin}/`, null);
      await waitFor("it is delivered", async () => (await harness.read(one)).status === "succeeded");
    }
    expect((await read(id)).status).toBe("running");
    await waitFor("it is done", async () => (await read(id)).status === "done", 60_000);
    expect(await read(id)).toMatchObject({ acted: 10_000, leftAlone: {} });
    expect(await statuses()).toEqual({ cancelled: 10_000 });
  });

  it("reports in its metrics the running operations and what operations did", async () => {
    await createTestSchedules(harness.sql, account.id, 500, LATER);
    const stuck = await accept("cancel", { filter: {} }, await harness.account());
    await harness.sql`UPDATE operations SET total = 70, next_step_at = now() + interval '1 hour' WHERE id = ${stuck}`;
    const done = await accept("cancel", { filter: {} });
    const port = await freePort();
    await harness.process({ env: { DISPATCHER_PORT: String(port) } });
    await waitFor("it is done", async () => (await read(done)).status === "done", 30_000);
    // The running operations are counted once in a while: an answer may be of the time before the last change.
    const text = await waitFor("only the one that cannot go on is counted", async () => {
      const found = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return /^stopwatch_operations_running 1$/m.test(found) && found;
    });
    expect(text).toMatch(/^stopwatch_operations_left 70$/m);
    expect(text).toMatch(/^stopwatch_operations_oldest_seconds \d/m);
    expect(text).toMatch(/^stopwatch_operations_acted_total\{action="cancel"\} 500$/m);
    expect(text).toMatch(/^stopwatch_operations_acted_total\{action="replay"\} 0$/m);
  });

  it("that is killed midway leaves exact counts, and the next one continues from there", async () => {
    await createTestSchedules(harness.sql, account.id, 3_000, LATER);
    await harness.sql`UPDATE accounts SET plan = 'indie' WHERE id = ${account.id}`;
    const id = await accept("replay", { filter: {} });
    const first = await harness.process();
    await waitFor("it is in the middle", async () => (await read(id)).acted > 300, 30_000);
    first.kill("SIGKILL");
    const copies = async () =>
      (await harness.sql`SELECT count(*)::int AS n FROM schedule_requests WHERE replay_of IS NOT NULL`)[0]?.n;
    await waitFor("its session has ended", async () => {
      const [row] = await harness.sql`
        SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'stopwatch-operate' AND datname = current_database()`;
      return row?.n === 0;
    });
    const { acted, status } = await read(id);
    expect(status).toBe("running");
    expect(await copies()).toBe(acted);
    await harness.dispatcher();
    await waitFor("it is done", async () => (await read(id)).status === "done", 60_000);
    expect(await read(id)).toMatchObject({ acted: 3_000, leftAlone: {} });
    const [row] = await harness.sql`
      SELECT count(*)::int AS copies, count(DISTINCT replay_of)::int AS originals FROM schedule_requests
      WHERE replay_of IS NOT NULL`;
    expect(row).toEqual({ copies: 3_000, originals: 3_000 });
  });

  it("gives accounts turns, so that a small operation does not wait for a large one", async () => {
    const others = await Promise.all(Array.from({ length: 5 }, () => harness.account()));
    await createTestSchedules(harness.sql, account.id, 20_000, LATER);
    for (const other of others) await createTestSchedules(harness.sql, other.id, 10, LATER);
    const large = await accept("cancel", { filter: {} });
    const small = await Promise.all(others.map((other) => accept("cancel", { filter: {} }, other)));
    await harness.dispatcher();
    for (const id of small) await waitFor("the small one is done", async () => (await read(id)).status === "done");
    expect((await read(large)).status).toBe("running");
  });

  it("fails an operation whose step fails repeatedly, and continues with others", async () => {
    await create();
    const other = await harness.account();
    await createTestSchedules(harness.sql, other.id, 10, LATER);
    const id = await accept("cancel", { filter: {} });
    await harness.sql`
      UPDATE operations SET failures = 4, filter = '{"statuses":["nonsense"],"q":{"text":null},"fromMs":null,"toMs":null}'
      WHERE id = ${id}`;
    const good = await accept("cancel", { filter: {} }, other);
    await harness.dispatcher();
    await waitFor("it has failed", async () => (await read(id)).status === "failed");
    expect(await read(id)).toMatchObject({ errorCode: "INTERNAL", endedAt: expect.any(Date) });
    await waitFor("the other one is done", async () => (await read(good)).status === "done");
    expect((await statuses(other)).cancelled).toBe(10);
  });
});
