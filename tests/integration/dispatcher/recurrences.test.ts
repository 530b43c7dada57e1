import { drizzle } from "drizzle-orm/postgres-js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setAccountStatus } from "#db/queries/accounts/administer.ts";
import { stepRecurrences } from "#db/queries/recurrences/make.ts";
import { findDueTenants, stepTenant } from "#db/queries/recurrences/steps.ts";
import { renewOutdated, ZONE_DATA } from "#db/queries/recurrences/zone-data.ts";
import { hasMoved } from "#dispatcher/recurrences/zone-data.ts";
import { newId } from "#domain/ids.ts";
import { openRequest, packRequest, sealRequest, unpackRequest } from "#domain/sealed-request.ts";
import { SHARDS } from "#domain/shard-share.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { setUsage } from "../../helpers/usage.ts";
import { waitFor } from "../../helpers/wait-for.ts";

let harness: DispatchHarness;
let receiver: Receiver;
let account: Awaited<ReturnType<DispatchHarness["account"]>>;

beforeEach(async () => {
  receiver = await startReceiver({ tls: false });
  harness = await createDispatchHarness({ DELIVERY_ALLOW: receiver.origin });
  account = await harness.account();
});
afterEach(async () => {
  await harness.close();
  await receiver.close();
});

const MINUTE_MS = 60_000;
const shards = Array.from({ length: SHARDS }, (_, shard) => shard);
const PAYLOAD = '{"report":"daily"}';

type Overrides = {
  cron?: string;
  key?: string;
  catchUp?: string;
  madeMinutesAgo?: number;
  /** No occurrence is made that is due within this. What is due within two seconds is decided on at once. */
  notWithinS?: number;
  endsAt?: Date;
  overlap?: string;
  zone?: string;
  zoneData?: string;
};

/** A recurrence of every minute that is due for a step. Returns its UUID. */
async function recur(overrides: Overrides = {}, of = account): Promise<string> {
  const {
    cron = "* * * * *",
    key = "daily/é",
    catchUp = "latest",
    madeMinutesAgo = 0,
    notWithinS = 0,
    endsAt = null,
    overlap = "allow",
    zone = "UTC",
    zoneData = ZONE_DATA,
  } = overrides;
  const [id, env, method, targetUrl] = [newId(Date.now()), "live" as const, "POST", `${receiver.origin}/hook`];
  const packed = packRequest({ headers: [["Content-Type", "application/json"]], payload: PAYLOAD });
  const sealed =
    packed && sealRequest(harness.config.keyRing, packed, { accountId: of.id, env, id, method, targetUrl });
  await harness.sql`
    INSERT INTO recurrences (id, account_id, env, shard, key, cron, timezone, on_clock_change, overlap, catch_up, spread_ms,
      ends_at, target_url, origin, method, sealed, payload_size_bytes, request_hash, made_until, open_from, zone_data, lead_ms,
      next_step_at, created_by)
    SELECT ${id}, a.id, ${env}, a.shard, ${key}, ${cron}, ${zone}, 'first', ${overlap}, ${catchUp}, 0, ${endsAt}, ${targetUrl},
      ${receiver.origin}, ${method}, ${sealed}, ${PAYLOAD.length}, '', now() - ${madeMinutesAgo}::float8 * interval '1 minute'
        + ${notWithinS}::float8 * interval '1 second',
      now() - ${madeMinutesAgo}::float8 * interval '1 minute', ${zoneData}, 90000, now(), ${newId(Date.now())} FROM accounts a WHERE a.id = ${of.id}`;
  return id;
}

const rules = () => harness.config;

/** One step of the account, as a dispatcher takes it. Returns how many recurrences it stepped. */
function step(of = account): Promise<number> {
  const bounds = { countMax: 100, bytesMax: 512 * 1024 };
  return stepTenant(harness.sql as never, { accountId: of.id, env: "live" }, bounds, (tx, due, row) =>
    stepRecurrences(tx, { accountId: of.id, env: "live" }, due, row, rules()),
  );
}

async function occurrences(id: string) {
  return harness.sql<
    { id: string; status: string; fireAt: Date; occurrenceAt: Date; nextAttemptAt: Date; sealed: Buffer }[]
  >`
    SELECT s.id, s.status, s.fire_at AS "fireAt", s.next_attempt_at AS "nextAttemptAt", r.sealed,
      r.occurrence_at AS "occurrenceAt"
    FROM schedule_requests r JOIN schedules s ON s.id = r.schedule_id
    WHERE r.recurrence_id = ${id} ORDER BY r.occurrence_at`;
}

async function read(id: string) {
  const [row] = await harness.sql`
    SELECT status, left_out AS "leftOut", made_until AS "madeUntil", next_step_at AS "nextStepAt", failures
    FROM recurrences WHERE id = ${id}`;
  return row as { status: string; leftOut: object[]; madeUntil: Date; nextStepAt: Date | null; failures: number };
}

async function used(): Promise<number> {
  const [row] = await harness.sql`
    SELECT coalesce(sum(scheduled), 0)::int AS n FROM usage WHERE account_id = ${account.id}`;
  return row?.n;
}

async function takeBack(id: string) {
  const [row] = await harness.sql`SELECT * FROM take_back_occurrences(${account.id}, 'live', ${id})`;
  return row;
}

describe("a step of recurrences", () => {
  it("makes schedules with the stored request and the recurrence's key, and counts them in the quota", async () => {
    const id = await recur();
    await expect(step()).resolves.toBe(1);
    const made = await occurrences(id);
    expect(made.length).toBeGreaterThan(1);
    expect(made.map(({ status }) => status)).toEqual(made.map(() => "scheduled"));
    expect(made.map(({ fireAt }) => fireAt)).toEqual(made.map(({ occurrenceAt }) => occurrenceAt));
    await expect(used()).resolves.toBe(made.length);
    const [first] = made;
    const to = { accountId: account.id, env: "live" as const, id: first?.id as string };
    const target = { method: "POST", targetUrl: `${receiver.origin}/hook` };
    const opened = unpackRequest(openRequest(harness.config.keyRing, first?.sealed as Buffer, { ...to, ...target }));
    expect(opened.payload.toString()).toBe(PAYLOAD);
    expect(opened.headers).toContainEqual(["X-Service-Recurrence", "daily%2F%C3%A9"]);
    const { madeUntil, nextStepAt } = await read(id);
    expect(madeUntil).toEqual(made.at(-1)?.occurrenceAt);
    expect(nextStepAt?.getTime()).toBe(madeUntil.getTime() - 90_000);
  });

  it("is not repeated before it is due again, and makes no instant twice when its progress is lost", async () => {
    const id = await recur({ madeMinutesAgo: 0.5 });
    await step();
    await expect(step()).resolves.toBe(0);
    const made = await occurrences(id);
    await harness.sql`UPDATE recurrences SET made_until = now() - interval '30 seconds', next_step_at = now() WHERE id = ${id}`;
    await expect(step()).resolves.toBe(1);
    const again = await occurrences(id);
    expect(new Set(again.map(({ occurrenceAt }) => occurrenceAt.getTime())).size).toBe(again.length);
    expect(again.slice(0, made.length).map((one) => one.id)).toEqual(made.map((one) => one.id));
  });

  it("of two dispatchers is made by one", async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => recur({ key: `rule ${n}` })));
    const counts = await Promise.all([step(), step(), step(), step()]);
    expect(counts.reduce((sum, n) => sum + n, 0)).toBe(20);
    for (const id of ids) {
      const made = await occurrences(id);
      expect(new Set(made.map(({ occurrenceAt }) => occurrenceAt.getTime())).size).toBe(made.length);
    }
  });

  it("makes a late occurrence with its own instant, due now", async () => {
    const id = await recur({ cron: "0 0 1 1 *", madeMinutesAgo: 525_600 });
    await step();
    const [late] = await occurrences(id);
    expect(late?.fireAt.getTime()).toBeLessThan(Date.now() - MINUTE_MS);
    expect(late?.nextAttemptAt.getTime()).toBeGreaterThan(Date.now() - MINUTE_MS);
    const none = await recur({ cron: "0 0 1 1 *", key: "none", madeMinutesAgo: 525_600, catchUp: "none" });
    await step();
    const [next] = await occurrences(none);
    expect(next?.fireAt.getTime()).toBeGreaterThan(Date.now());
    expect((await read(none)).leftOut).toMatchObject([{ count: 1, reason: "missed" }]);
  });

  it("makes nothing over the quota, says so, and goes on", async () => {
    const id = await recur({ madeMinutesAgo: 1.5 });
    await setUsage(harness.sql, account.id, harness.config.plans.free.monthlyQuota * 2);
    await harness.sql`UPDATE accounts SET plan = 'free' WHERE id = ${account.id}`;
    await step();
    await expect(occurrences(id)).resolves.toHaveLength(0);
    const { leftOut, status, nextStepAt } = await read(id);
    expect(leftOut).toContainEqual(expect.objectContaining({ count: 1, reason: "over_quota" }));
    expect(status).toBe("active");
    expect(nextStepAt).not.toBeNull();
  });

  it("has an instant of a later month wait for that month's quota, and makes it then", async () => {
    const { monthlyQuota } = harness.config.plans.free;
    await harness.sql`UPDATE accounts SET plan = 'free' WHERE id = ${account.id}`;
    const today = new Date();
    const at = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 2, 1, 9));
    const id = await recur({ cron: `0 9 1 ${at.getUTCMonth() + 1} *` });
    await setUsage(harness.sql, account.id, monthlyQuota * 2);
    await step();
    await expect(occurrences(id)).resolves.toHaveLength(0);
    const { leftOut, nextStepAt } = await read(id);
    expect([leftOut, nextStepAt?.toISOString().slice(8)]).toEqual([[], "01T00:00:00.000Z"]);
    await harness.sql`DELETE FROM usage WHERE account_id = ${account.id}`;
    await harness.sql`UPDATE recurrences SET next_step_at = now() WHERE id = ${id}`;
    await step();
    expect(await occurrences(id)).toMatchObject([{ fireAt: at }]);
  });

  it("ends a recurrence whose last instant has passed", async () => {
    const id = await recur({ endsAt: new Date(Date.now() - MINUTE_MS) });
    await step();
    expect(await read(id)).toMatchObject({ status: "ended", nextStepAt: null });
  });

  it("makes nothing for an account that is not active, which is not looked at again soon, and goes on when it is active", async () => {
    const setStatus = (status: "active" | "deactivated") =>
      setAccountStatus(drizzle(harness.sql), account.id, status, { accountId: null, requestId: null });
    const due = () => findDueTenants(harness.sql as never, shards, 10);
    const id = await recur();
    const paused = await recur({ key: "paused" });
    await setStatus("deactivated");
    await harness.sql`UPDATE recurrences SET status = 'paused', paused_until = now() WHERE id = ${paused}`;
    expect(await due()).toHaveLength(1);
    await expect(step()).resolves.toBe(0);
    expect(await due()).toEqual([]);
    await expect(occurrences(id)).resolves.toEqual([]);
    await setStatus("active");
    expect(await due()).toHaveLength(1);
    await expect(step()).resolves.toBe(2);
    for (const one of [id, paused]) expect((await occurrences(one)).length).toBeGreaterThan(0);
  });

  it("notes from where on its occurrences are open, so that nobody reads those that have ended", async () => {
    const id = await recur();
    await step();
    const made = await occurrences(id);
    const openFrom = async () => (await harness.sql`SELECT open_from FROM recurrences WHERE id = ${id}`)[0]?.open_from;
    expect(await openFrom()).toEqual(made[0]?.occurrenceAt);
    await harness.sql`
      UPDATE schedules SET status = 'succeeded', attempts = 1, next_attempt_at = NULL, ended_at = now() WHERE id = ${made[0]?.id as string}`;
    await harness.sql`UPDATE recurrences SET next_step_at = now() WHERE id = ${id}`;
    await step();
    expect(await openFrom()).toEqual(made[1]?.occurrenceAt);
  });

  it("whose occurrences are taken back gives back their quota, and can make the same instants again", async () => {
    const id = await recur();
    await step();
    const made = await occurrences(id);
    await harness.sql`
      UPDATE schedules SET status = 'cancelled', next_attempt_at = NULL, ended_at = now() WHERE id = ${made[0]?.id as string}`;
    await expect(takeBack(id)).resolves.toMatchObject({ taken: made.length - 1, in_flight: 0 });
    // Its owner had cancelled the first one.
    await expect(used()).resolves.toBe(1);
    expect((await occurrences(id)).every(({ status }) => status === "cancelled")).toBe(true);
    await harness.sql`
      UPDATE recurrences SET made_until = ${made[0]?.occurrenceAt as Date}::timestamptz - interval '1 second', next_step_at = now()
      WHERE id = ${id}`;
    await step();
    const open = (await occurrences(id)).filter(({ status }) => status === "scheduled");
    const again = open.map(({ occurrenceAt }) => occurrenceAt.getTime());
    for (const { occurrenceAt } of made.slice(1)) expect(again).toContain(occurrenceAt.getTime());
    // An instant that its owner cancelled stays skipped.
    expect(again).not.toContain(made[0]?.occurrenceAt.getTime());
  });
});

describe("a recurrence that must not overlap", () => {
  const again = (id: string) => harness.sql`UPDATE recurrences SET next_step_at = now() WHERE id = ${id}`;
  const due = (schedule: string) =>
    harness.sql`UPDATE schedules SET fire_at = now() - interval '1 second' WHERE id = ${schedule}`;

  it("has its occurrences held until they fire, and skips one while an earlier one is open", async () => {
    const id = await recur({ overlap: "skip", notWithinS: 20 });
    await step();
    const [first, second, ...others] = await occurrences(id);
    if (!first || !second) throw new Error("the next minutes have been made");
    const isHeld = ({ nextAttemptAt }: { nextAttemptAt: Date }) => nextAttemptAt.getTime() > Date.now() + 86_400_000;
    expect([first, second, ...others].every(isHeld)).toBe(true);

    await due(first.id);
    await again(id);
    await step();
    const [released] = await occurrences(id);
    expect(released && isHeld(released)).toBe(false);
    const before = await used();
    await due(second.id);
    await again(id);
    await step();
    const made = await occurrences(id);
    expect(made.slice(0, 2).map(({ status }) => status)).toEqual(["scheduled", "cancelled"]);
    expect((await read(id)).leftOut).toMatchObject([{ fromMs: second.occurrenceAt.getTime(), reason: "overlap" }]);
    expect(await used()).toBe(before - 1);
  });

  it("is decided on ahead of any number of recurrences that make occurrences for later", async () => {
    const other = await harness.account();
    for (let n = 0; n < 120; n++) await recur({ key: `waits ${n}` });
    await recur({ key: "waits" }, other);
    await harness.sql`UPDATE recurrences SET next_step_at = now() - interval '30 s'`;
    const urgent = await recur({ key: "urgent", overlap: "skip", notWithinS: 20 });
    const [first] = await findDueTenants(harness.sql as never, shards, 1);
    expect(first).toMatchObject({ accountId: account.id, behindS: expect.closeTo(30, -1) });
    await step();
    expect((await read(urgent)).nextStepAt?.getTime()).toBeGreaterThan(Date.now());
  });

  it("announces an occurrence to the dispatchers when it is decided that it fires, so that it is claimed in time", async () => {
    const id = await recur({ overlap: "skip", notWithinS: 20 });
    await step();
    const [first] = await occurrences(id);
    const [channel] = await harness.sql`SELECT due_channel() AS name`;
    const announced: string[] = [];
    await harness.sql.listen(channel?.name, (notice) => announced.push(notice));
    await due(first?.id as string);
    await again(id);
    await step();
    await waitFor("it is announced", () => announced.some((notice) => notice.includes(first?.id as string)));
  });

  it("delivers an occurrence when no earlier one is open", async () => {
    await recur({ overlap: "skip", madeMinutesAgo: 2 });
    await harness.dispatcher();
    await waitFor("the late occurrence arrives", () => receiver.requests.length > 0);
  });
});

describe("occurrences that older zone data put at another instant", () => {
  const HOUR_MS = 3_600_000;
  const DAY_MS = 24 * HOUR_MS;
  const inDays = (days: number) => Math.floor(Date.now() / HOUR_MS) * HOUR_MS + days * DAY_MS;
  const yearly = (atMs: number) =>
    `0 ${new Date(atMs).getUTCHours()} ${new Date(atMs).getUTCDate()} ${new Date(atMs).getUTCMonth() + 1} *`;
  const renew = (zoneData = ZONE_DATA) => renewOutdated(harness.sql as never, shards, zoneData, 100, hasMoved);
  /** The zone has no offset from UTC, so that the rule's instant is known; what was made is moved by an hour. */
  async function moveMade(id: string): Promise<void> {
    await harness.sql`
      UPDATE schedule_requests SET occurrence_at = occurrence_at + interval '1 hour' WHERE recurrence_id = ${id}`;
    await harness.sql`
      UPDATE schedules s SET fire_at = s.fire_at + interval '1 hour', next_attempt_at = s.next_attempt_at + interval '1 hour'
      FROM schedule_requests r WHERE r.schedule_id = s.id AND r.recurrence_id = ${id}`;
  }

  it("are made anew where they are more than a day ahead, once, and the others stay", async () => {
    const outdated = { zone: "Africa/Abidjan", zoneData: "2000a" };
    const [far, near] = [inDays(40), inDays(0.5)];
    const moved = await recur({ ...outdated, key: "moved", cron: yearly(far) });
    const right = await recur({ ...outdated, key: "right", cron: yearly(far) });
    const soon = await recur({ ...outdated, key: "soon", cron: yearly(near) });
    await step();
    const [before, kept] = [await occurrences(right), await occurrences(soon)];
    await moveMade(moved);
    await moveMade(soon);

    await expect(renew()).resolves.toBe(3);
    await expect(renew()).resolves.toBe(0);
    await expect(step()).resolves.toBe(1);
    const made = await occurrences(moved);
    expect(made.map(({ status, occurrenceAt }) => [status, occurrenceAt.getTime()])).toEqual([
      ["scheduled", far],
      ["cancelled", far + HOUR_MS],
    ]);
    expect(await occurrences(right)).toEqual(before);
    expect((await occurrences(soon)).map(({ id }) => id)).toEqual(kept.map(({ id }) => id));
    await expect(used()).resolves.toBe(3);
  });

  it("stay where this process's zone data are the older ones, or where there is no zone", async () => {
    await recur({ zone: "Africa/Abidjan", zoneData: "9999a" });
    await recur({ key: "utc", zoneData: "2000a" });
    await expect(renew()).resolves.toBe(0);
  });
});

describe("a dispatcher", () => {
  it("makes an occurrence that is due and delivers it, with the key of its recurrence", async () => {
    const id = await recur({ madeMinutesAgo: 2 });
    await harness.dispatcher();
    await waitFor("the late occurrence arrives", () => receiver.requests.length > 0);
    expect(receiver.requests[0]?.headers["x-service-recurrence"]).toBe("daily%2F%C3%A9");
    expect((await occurrences(id)).length).toBeGreaterThan(1);
  });
});
