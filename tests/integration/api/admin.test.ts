import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { encodeId } from "#domain/ids.ts";
import { Admin } from "#server/admin/admin.ts";
import { deactivateAccount } from "#server/admin/deactivate.ts";
import { findAccount } from "#server/admin/find-account.ts";
import { listAllAccounts } from "#server/admin/list-accounts.ts";
import { listAuditLog } from "#server/admin/list-audit-log.ts";
import { reactivateAccount } from "#server/admin/reactivate.ts";
import { readAccount } from "#server/admin/read-account.ts";
import { readDispatchers } from "#server/admin/read-fleet.ts";
import { readQueue } from "#server/admin/read-queue.ts";
import { setAccountPlan } from "#server/admin/set-plan.ts";
import { authenticate } from "#server/auth/authenticate.ts";
import type { Query } from "#server/context.ts";
import type { TestStripe } from "../../helpers/stripe.ts";
import type { Api, TestCaller, TestSession } from "./api.ts";
import { withStripe } from "./with-stripe.ts";

let api: Api;
let stripe: TestStripe;
let root: TestCaller;
let admin: Admin;
let caller: TestCaller;
let session: TestSession;
let id: string;

const query: Query = (work) => api.services.database.run(10_000, work);

withStripe({ settings: { ADMIN_EMAILS: "root@example.com" } }, (made) => {
  ({ api, stripe, caller, session } = made);
});
beforeAll(async () => {
  root = await api.account();
  await api.sql`UPDATE accounts SET email = 'root@example.com', email_verified_at = now() WHERE id = ${root.accountId}`;
  admin = await adminBy(await api.session(root.accountId), "req_1");
});
beforeEach(() => {
  id = encodeId("acc", caller.accountId);
});

/** An administrator, as a page derives one from its request. */
async function adminBy(credential: string | { cookie: string }, requestId: string | null = null): Promise<Admin> {
  const headers: Record<string, string> =
    typeof credential === "string" ? { authorization: `Bearer ${credential}` } : { cookie: credential.cookie };
  const request = new Request("http://127.0.0.1/admin", { headers });
  const found = await authenticate(api.services, request, query);
  const tenant = { accountId: found.accountId, env: "live" as const };
  return Admin.ofSession({ config: api.config, query, credential: found.credential, tenant }, requestId);
}
const acts = async (accountId = id) => (await listAuditLog(admin, { accountId })).items;
const me = async () => (await api.call("GET", "/v1/me", caller.live)).body;
const sql = () => api.sql;

describe("the right to administer", () => {
  it("belongs to the session of a verified address in ADMIN_EMAILS, and to no other caller", async () => {
    const forbidden = { code: "FORBIDDEN" };
    await expect(adminBy(session)).rejects.toMatchObject(forbidden);
    await expect(adminBy(caller.live)).rejects.toMatchObject(forbidden);
    await expect(adminBy(root.live)).rejects.toMatchObject(forbidden);
    const rootSession = await api.session(root.accountId);
    expect(await adminBy(rootSession)).toBeInstanceOf(Admin);
    await sql()`UPDATE accounts SET email_verified_at = NULL WHERE id = ${root.accountId}`;
    await expect(adminBy(rootSession)).rejects.toMatchObject(forbidden);
    await sql()`UPDATE accounts SET email_verified_at = now(), status = 'deactivated' WHERE id = ${root.accountId}`;
    await expect(adminBy(rootSession)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    await sql()`UPDATE accounts SET status = 'active' WHERE id = ${root.accountId}`;
  });
});

describe("setting a plan", () => {
  it("takes effect at once for every credential, and is in the audit log with administrator, act, account, time, old and new plan", async () => {
    await api.create(caller.live);
    await setAccountPlan(admin, id, "indie");
    expect((await me()).subscription).toEqual({
      plan: "indie",
      status: "none",
      currentPeriodEnd: null,
      manageable: false,
    });
    expect((await api.call("GET", "/v1/usage", session)).body).toMatchObject({ plan: "indie", limit: 50_000 });
    expect(await acts()).toEqual([
      {
        id: expect.stringMatching(/^aud_/),
        at: expect.stringMatching(/Z$/),
        actor: { kind: "admin", accountId: encodeId("acc", root.accountId), email: "root@example.com" },
        action: "set_plan",
        subject: { accountId: id, email: (await me()).user.email },
        before: { plan: "free", grantedPlan: "free" },
        after: { plan: "indie", grantedPlan: "indie" },
        requestId: "req_1",
      },
    ]);
    await setAccountPlan(admin, id, "indie");
    expect(await acts()).toHaveLength(1);
    await setAccountPlan(Admin.operator(api.config, query), id, "free");
    expect((await acts())[0]).toMatchObject({
      actor: { kind: "operator", accountId: null, email: null },
      before: { plan: "indie" },
      after: { plan: "free" },
      requestId: null,
    });
  });

  it("outlives the account's subscription, and a lower plan is a CONFLICT until the subscription has ended", async () => {
    expect(await api.call("POST", "/v1/billing/checkout", session)).toMatchObject({ status: 200 });
    const [row] = await sql()`SELECT customer_id FROM subscriptions WHERE account_id = ${caller.accountId}`;
    const made = stripe.pay(row?.customer_id);
    const sendEvent = () => {
      const { body, headers } = stripe.event("customer.subscription.updated", made);
      return api.call("POST", "/v1/billing/events", null, body, headers);
    };
    await sendEvent();
    await expect(setAccountPlan(admin, id, "free")).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await acts()).toEqual([]);
    await setAccountPlan(admin, id, "indie");
    Object.assign(made, { status: "canceled", ended_at: 1_700_000_000 });
    await sendEvent();
    expect((await me()).subscription).toMatchObject({ plan: "indie", status: "canceled" });
    await setAccountPlan(admin, id, "free");
    expect((await me()).subscription).toMatchObject({ plan: "free", status: "canceled" });
  });

  it("many times at once leaves a log in which each act starts from the plan that the one before it set", async () => {
    const plans = Array.from({ length: 12 }, (_, n) => (n % 2 ? "free" : "indie"));
    await Promise.all(plans.map((plan) => setAccountPlan(admin, id, plan as "free" | "indie")));
    const log = (await acts()).toReversed();
    expect(log.length).toBeGreaterThan(0);
    let plan = "free";
    for (const act of log) {
      expect(act.before.plan).toBe(plan);
      plan = act.after.plan as string;
    }
    expect((await me()).subscription.plan).toBe(plan);
  });

  it("at the same time as an event of a subscription ends with the plan that follows from both", async () => {
    await api.call("POST", "/v1/billing/checkout", session);
    const [row] = await sql()`SELECT customer_id FROM subscriptions WHERE account_id = ${caller.accountId}`;
    const made = stripe.pay(row?.customer_id);
    for (let round = 0; round < 8; round++) {
      const grants = round % 2 === 1;
      Object.assign(made, round % 4 < 2 ? { status: "active", ended_at: null } : { status: "canceled", ended_at: 1 });
      const { body, headers } = stripe.event("customer.subscription.updated", made);
      await Promise.all([
        api.call("POST", "/v1/billing/events", null, body, headers),
        setAccountPlan(admin, id, grants ? "indie" : "free").catch(() => {}),
      ]);
      const [state] = await sql()`
        SELECT a.plan, a.granted_plan, s.paying FROM accounts a JOIN subscriptions s ON s.account_id = a.id WHERE a.id = ${caller.accountId}`;
      expect(state?.plan, `round ${round}`).toBe(state?.paying ? "indie" : state?.granted_plan);
    }
  });
});

describe("deactivating an account", () => {
  it("locks keys and sessions out at once, sessions for good, and reactivating lets the keys in again", async () => {
    await api.create(caller.live);
    await deactivateAccount(admin, id);
    for (const credential of [caller.live, caller.test, session]) {
      expect(await api.call("GET", "/v1/me", credential)).toMatchObject({ status: 401 });
    }
    const schedule = { targetUrl: "https://example.com/", fireAt: "2031-01-01T00:00:00Z" };
    expect(await api.call("POST", "/v1/schedules", caller.live, schedule)).toMatchObject({ status: 401 });
    await reactivateAccount(admin, id);
    expect(await api.call("POST", "/v1/schedules", caller.live, schedule)).toMatchObject({ status: 201 });
    expect(await api.call("GET", "/v1/me", session)).toMatchObject({ status: 401 });
    expect((await acts()).map(({ action, before, after }) => [action, before.status, after.status])).toEqual([
      ["reactivate", "deactivated", "active"],
      ["deactivate", "active", "deactivated"],
    ]);
  });

  it("is done once, however often it is requested, and so is reactivating", async () => {
    await Promise.all([1, 2, 3, 4].map(() => deactivateAccount(admin, id)));
    expect(await acts()).toHaveLength(1);
    const [before] = await sql()`SELECT activated_at FROM accounts WHERE id = ${caller.accountId}`;
    await Promise.all([1, 2, 3, 4].map(() => reactivateAccount(admin, id)));
    expect(await acts()).toHaveLength(2);
    const [after] = await sql()`SELECT activated_at FROM accounts WHERE id = ${caller.accountId}`;
    expect(after?.activated_at.getTime()).toBeGreaterThan(before?.activated_at.getTime());
  });

  it("is refused for the administrator's own account", async () => {
    await expect(deactivateAccount(admin, encodeId("acc", root.accountId))).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await acts(encodeId("acc", root.accountId))).toEqual([]);
  });
});

describe("the audit log", () => {
  it("contains nothing of an act that failed, and an act that it cannot record is not done", async () => {
    await sql()`ALTER TABLE audit_log ADD CONSTRAINT audit_log_full CHECK (false) NOT VALID`;
    await expect(setAccountPlan(admin, id, "indie")).rejects.toThrow();
    await expect(deactivateAccount(admin, id)).rejects.toThrow();
    await sql()`ALTER TABLE audit_log DROP CONSTRAINT audit_log_full`;
    await failCommits();
    await expect(setAccountPlan(admin, id, "indie")).rejects.toThrow();
    await expect(deactivateAccount(admin, id)).rejects.toThrow();
    await sql()`DROP TRIGGER fail_commits ON accounts`;
    expect((await me()).subscription.plan).toBe("free");
    expect(await acts()).toEqual([]);
    await api.call("DELETE", "/v1/me", session);
    for (const verb of [deactivateAccount, reactivateAccount]) {
      await expect(verb(admin, id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    }
    await expect(setAccountPlan(admin, id, "indie")).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await acts()).toEqual([]);
  });

  it("cannot be changed by any statement", async () => {
    await deactivateAccount(admin, id);
    for (const statement of [
      "UPDATE audit_log SET actor = 'operator'",
      "DELETE FROM audit_log",
      "TRUNCATE audit_log",
    ]) {
      await expect(sql().unsafe(statement)).rejects.toThrow("the audit log is never changed");
    }
    expect(await acts()).toHaveLength(1);
  });

  it("is listed page by page, the latest act first, each act once", async () => {
    for (let n = 0; n < 7; n++) await (n % 2 ? reactivateAccount : deactivateAccount)(admin, id);
    const whole = await acts();
    const seen: string[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const page = await listAuditLog(admin, { accountId: id, after: after ?? undefined, limit: 3 });
      seen.push(...page.items.map((act) => act.id));
      after = page.next;
    }
    expect(seen).toEqual(whole.map((act) => act.id));
    expect(seen).toHaveLength(7);
    await expect(listAuditLog(admin, { after: "nonsense" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("keeps the ids of an erased account, and no address", async () => {
    await setAccountPlan(admin, id, "indie");
    await sql()`UPDATE accounts SET status = 'deleted', deleted_at = now(), erased_at = now(), email = 'erased' WHERE id = ${caller.accountId}`;
    expect((await acts())[0]?.subject).toEqual({ accountId: id, email: null });
  });
});

describe("the list of accounts", () => {
  it("shows all accounts page by page, the newest first, each once, also while others are created", async () => {
    const mark = crypto.randomUUID().slice(0, 8);
    const made: string[] = [];
    for (let n = 0; n < 5; n++) made.unshift((await makeAccount(`${mark}-${n}@example.com`)).id);
    const seen: string[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const page = await listAllAccounts(admin, { q: mark.toUpperCase(), limit: 2, after: after ?? undefined });
      expect(page.total).toBeGreaterThanOrEqual(5);
      seen.push(...page.items.map((item) => item.id));
      after = page.next;
      await makeAccount(`${mark}-later-${seen.length}@example.com`);
    }
    expect(seen).toEqual(made);
  });

  it("finds accounts by a part of the address, in which % and _ are literal, by id, plan and status", async () => {
    const mark = crypto.randomUUID().slice(0, 8);
    const { id: percent } = await makeAccount(`${mark}%a_b@example.com`);
    await makeAccount(`${mark}xaxb@example.com`);
    const found = async (filter: Parameters<typeof listAllAccounts>[1]) =>
      (await listAllAccounts(admin, filter)).items.map((item) => item.id);
    expect(await found({ q: `${mark}%A_` })).toEqual([percent]);
    expect(await found({ q: id })).toEqual([id]);
    expect(await found({ q: "nobody at all" })).toEqual([]);
    await setAccountPlan(admin, percent, "indie");
    expect(await found({ q: mark, plan: "indie" })).toEqual([percent]);
    await deactivateAccount(admin, percent);
    expect(await found({ q: mark, status: "deactivated" })).toEqual([percent]);
    expect(await found({ q: mark, status: "active" })).toHaveLength(1);
    expect(await findAccount(admin, ` ${mark}%A_B@example.com`)).toBe(percent);
    for (const letter of ["\u212A", "\uFF4B"]) {
      expect(await found({ q: `${letter}${mark}` })).toEqual([]);
      await expect(findAccount(admin, `${mark}%${letter}_b@example.com`)).rejects.toMatchObject({ code: "NOT_FOUND" });
    }
    await expect(findAccount(admin, "nobody@example.com")).rejects.toMatchObject({ code: "NOT_FOUND" });
    await sql()`UPDATE accounts SET status = 'deleted', deleted_at = now() WHERE email LIKE ${`${mark}xaxb%`}`;
    expect(await found({ q: mark })).toEqual([percent]);
  });

  it("shows plan, use of the quota and status", async () => {
    await api.create(caller.live);
    await api.create(caller.test);
    const { items, total } = await listAllAccounts(admin, { q: id });
    expect(total).toBe(1);
    expect(items[0]).toMatchObject({
      id,
      plan: "free",
      grantedPlan: "free",
      subscriptionStatus: "none",
      status: "active",
      scheduled: 1,
      limit: 2_000,
      graceLimit: 2_200,
    });
  });
});

it("the page of one account has its figures, and a deleted account is not found", async () => {
  await api.create(caller.live);
  await api.create(caller.test);
  const shown = await readAccount(admin, id);
  expect(shown).toMatchObject({
    id,
    status: "active",
    keys: 2,
    sessions: 1,
    emailVerified: false,
    periodEnd: null,
    live: { usage: { scheduled: 1, limit: 2_000 }, schedules: { active: 1, failed: 0, dead: 0 } },
    test: { usage: { scheduled: 1, limit: 1_000 }, schedules: { active: 1 } },
  });
  await api.call("DELETE", "/v1/me", session);
  await expect(readAccount(admin, id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(readAccount(admin, "acc_x")).rejects.toMatchObject({ code: "NOT_FOUND" });
});

it("the figures of fleet and queue show dispatchers with shards and heartbeat, what is due, and what became dead", async () => {
  const [row] =
    await sql()`INSERT INTO dispatchers (id, host, pid, version) VALUES (gen_random_uuid(), 'h', 7, '1') RETURNING id`;
  await sql()`UPDATE shards SET owner = ${row?.id}, lease_until = now() + interval '1 minute' WHERE id < 60`;
  const { dispatchers, shardsUnowned } = await readDispatchers(admin);
  expect(dispatchers).toMatchObject([{ host: "h", pid: 7, shards: 60, isAlive: true }]);
  expect(shardsUnowned).toBe(4);

  const before = await readQueue(admin);
  const [due, dead, old] = [
    await api.create(caller.live),
    await api.create(caller.live),
    await api.create(caller.test),
  ];
  const idsOf = async (texts: string[]) =>
    (await sql()`SELECT id FROM schedules WHERE account_id = ${caller.accountId} ORDER BY id`).slice(0, texts.length);
  const [a, b, c] = await idsOf([due, dead, old]);
  await sql()`UPDATE schedules SET fire_at = now() - interval '5 s', next_attempt_at = now() - interval '5 s' WHERE id = ${a?.id}`;
  const die = (which: string, age: string) => sql()`
    UPDATE schedules SET status = 'dead', next_attempt_at = NULL, ended_at = now(), last_attempt_at = now() - ${age}::interval, attempts = 1
    WHERE id = ${which}`;
  await die(b?.id, "1 hour");
  await die(c?.id, "25 hours");
  const queue = await readQueue(admin);
  expect(queue).toMatchObject({ due: before.due + 1, dead: before.dead + 1, isDeadCapped: false });
  expect(queue.oldestDueMs).toBeGreaterThan(4_000);
});

/** Makes each transaction that changes an account fail at its commit. */
async function failCommits() {
  await sql().unsafe(`
    CREATE OR REPLACE FUNCTION fail_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'too late'; END $$;
    CREATE CONSTRAINT TRIGGER fail_commits AFTER UPDATE ON accounts DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION fail_commit()`);
}

async function makeAccount(email: string): Promise<{ id: string }> {
  const made = await api.account();
  await sql()`UPDATE accounts SET email = ${email} WHERE id = ${made.accountId}`;
  return { id: encodeId("acc", made.accountId) };
}
