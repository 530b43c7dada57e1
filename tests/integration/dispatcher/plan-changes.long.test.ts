// Guards: dispatcher/rates/**, server/admin/**, dispatcher/retention/**
import { afterAll, beforeAll, expect, it } from "vitest";
import { connectOrm, type OrmDatabase } from "#db/orm.ts";
import { encodeId } from "#domain/ids.ts";
import type { Receiver } from "#scripts/lab/receiver.ts";
import { Admin } from "#server/admin/admin.ts";
import { deactivateAccount } from "#server/admin/deactivate.ts";
import { reactivateAccount } from "#server/admin/reactivate.ts";
import { setAccountPlan } from "#server/admin/set-plan.ts";
import type { TestAccount } from "../../helpers/accounts.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { mostInOneSecond } from "../../helpers/first-bytes.ts";
import { insertSchedules } from "../../helpers/overdue.ts";
import { retentionJob } from "../../helpers/retention-jobs.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withDispatchHarness } from "../../helpers/with-dispatch-harness.ts";

const FREE_CPS = 10;
const INDIE_CPS = 40;

let receiver: Receiver;
let harness: DispatchHarness;
let connection: OrmDatabase;
let admin: Admin;

const PLANS = JSON.stringify({ free: { cpsLimit: FREE_CPS }, indie: { cpsLimit: INDIE_CPS } });
withDispatchHarness({ hasDispatcher: true, settings: { PLANS } }, (made) => {
  ({ receiver, harness } = made);
});
beforeAll(async () => {
  connection = connectOrm({ url: harness.databaseUrl, name: "test", connectionsMax: 2 });
  admin = Admin.operator(harness.config, (work) => connection.run(10_000, work));
});
afterAll(async () => {
  await connection.close();
});

const target = (path: string) => new URL(path, receiver.origin);
const idOf = ({ id }: TestAccount) => encodeId("acc", id);
/** When each attempt of the account left, epoch ms by the database's clock, in order. */
async function sentOf({ id }: TestAccount): Promise<number[]> {
  const rows = await harness.sql`
    SELECT extract(epoch FROM attempted_at)::float8 * 1000 AS at FROM attempts WHERE account_id = ${id} ORDER BY attempted_at`;
  return rows.map(({ at }) => at);
}
async function nowMs(): Promise<number> {
  const [row] = await harness.sql`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS at`;
  return row?.at;
}
const statusesOf = async ({ id }: TestAccount) => {
  const rows = await harness.sql`
    SELECT status, count(*)::int AS n FROM schedules WHERE account_id = ${id} AND status <> 'firing' GROUP BY 1`;
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
};

it("a lower plan slows an account down within seconds and loses no waiting schedule, and a higher one speeds it up", async () => {
  const account = await harness.account({ plan: "free" });
  await setAccountPlan(admin, idOf(account), "indie");
  await insertSchedules(harness.sql, [account.id], target("/plan"), { rows: 400, fromMs: -30_000, everyMs: 10 });
  const isFast = async () => mostInOneSecond(await sentOf(account)) > 2 * FREE_CPS;
  await waitFor("it is sent at the higher rate", isFast, 30_000);

  await setAccountPlan(admin, idOf(account), "free");
  const slowFromMs = (await nowMs()) + 4_000;
  const sentSlowly = async () => (await sentOf(account)).filter((at) => at > slowFromMs);
  await waitFor("it goes on for a while", async () => (await sentSlowly()).length > 3 * FREE_CPS, 60_000);
  expect(mostInOneSecond(await sentSlowly())).toBeLessThanOrEqual(FREE_CPS);
  expect(Object.keys(await statusesOf(account)).toSorted()).toEqual(["scheduled", "succeeded"]);

  await setAccountPlan(admin, idOf(account), "indie");
  await waitFor("all are delivered", async () => (await statusesOf(account)).succeeded === 400, 60_000);
});

it("schedules of a deactivated account wait, and continue where they stopped after its reactivation, the oldest first", async () => {
  const account = await harness.account();
  const other = await harness.account();
  await insertSchedules(harness.sql, [account.id], target("/wait"), { rows: 300, fromMs: -30_000, everyMs: 20 });
  await waitFor("some are sent", async () => (await sentOf(account)).length > INDIE_CPS, 30_000);
  await deactivateAccount(admin, idOf(account));
  await waitFor("what was claimed has ended", async () => {
    const rows = await harness.sql`SELECT 1 FROM schedules WHERE account_id = ${account.id} AND status = 'firing'`;
    return rows.length === 0;
  });
  const { length: before } = await sentOf(account);
  expect(before).toBeLessThan(300);
  const later = await harness.schedule(other, target("/other").href, new Date(Date.now() + 1_500));
  await waitFor("another account is served", async () => (await harness.read(later)).status === "succeeded");
  expect(await statusesOf(account)).toEqual({ scheduled: 300 - before, succeeded: before });

  await reactivateAccount(admin, idOf(account));
  await waitFor("all are delivered", async () => (await statusesOf(account)).succeeded === 300, 60_000);
  const rows = await harness.sql`
    SELECT extract(epoch FROM s.fire_at)::float8 * 1000 AS due FROM attempts t JOIN schedules s ON s.id = t.schedule_id
    WHERE t.account_id = ${account.id} ORDER BY t.attempted_at`;
  const due = rows.slice(before).map((row) => row.due as number);
  // Requests within one second have no defined order.
  for (const [n, at] of due.entries()) expect(at).toBeGreaterThan((due[n - INDIE_CPS - 1] ?? 0) - 1);
});

it("a plan that is no longer paid for is removed within a minute, in batches and once, and the granted plan stays", async () => {
  const subscribe = async (grantedPlan: "free" | "indie", paidUntil: string | null) => {
    const { id } = await harness.account({ plan: "indie" });
    await harness.sql`UPDATE accounts SET granted_plan = ${grantedPlan} WHERE id = ${id}`;
    await harness.sql`
      INSERT INTO subscriptions (account_id, customer_id, status, paying, paid_until)
      VALUES (${id}, ${`cus_${id}`}, 'canceled', true, now() + ${paidUntil}::interval)`;
    return id;
  };
  const planOf = async (ids: string[]) => {
    const rows = await harness.sql`SELECT DISTINCT plan FROM accounts WHERE id = ANY (${ids})`;
    return rows.map(({ plan }) => plan).join();
  };
  const job = retentionJob("lapsed plans");
  expect(job.everyMs).toBe(60_000);
  const over = await Promise.all(Array.from({ length: 220 }, () => subscribe("free", "-1 second")));
  const kept = [
    await subscribe("indie", "-1 second"),
    await subscribe("free", "1 hour"),
    await subscribe("free", null),
  ];
  const steps = [1, 2, 3].map(() => job.batch(harness.sql, job.first, 200));
  const rows = (await Promise.all(steps)).map((step) => step.rows);
  rows.push((await job.batch(harness.sql, job.first, 200)).rows);
  expect(rows.reduce((sum, one) => sum + one)).toBe(221);
  expect([await planOf(over), await planOf(kept)]).toEqual(["free", "indie"]);
  expect(await job.batch(harness.sql, job.first, 200)).toEqual({ rows: 0, next: null });
});
