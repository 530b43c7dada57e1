import { copyFile, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createOrFindAccount } from "#db/queries/accounts/create.ts";
import { claimSchedules } from "#db/queries/schedules/claim.ts";
import { releaseSchedules } from "#db/queries/schedules/release.ts";
import { newId } from "#domain/ids.ts";
import { countRunTime } from "../../helpers/run-time.ts";
import { untilWaiting } from "../../helpers/until-waiting.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { waitingForLock } from "../../helpers/waiting-for-lock.ts";
import { type Answer, type Api, FUTURE, startApi, TARGET, type TestCaller, type TestSession } from "./api.ts";

let api: Api;
let caller: TestCaller;
let session: TestSession;
const dispatcherId = newId(Date.now());

beforeAll(async () => {
  api = await startApi({ SIGNUP: "open" });
  await api.sql`UPDATE shards SET owner = ${dispatcherId}, lease_until = now() + interval '1 day'`;
});
afterAll(() => api.stop());
beforeEach(async () => {
  caller = await api.account("indie");
  session = await api.session(caller.accountId);
});

const remove = () => api.call("DELETE", "/v1/me", session);

/** Schedules of the account that are due now. */
async function due(count: number) {
  await Promise.all(Array.from({ length: count }, () => api.create(caller.live)));
  return api.sql`
    UPDATE schedules SET fire_at = now(), next_attempt_at = now() WHERE account_id = ${caller.accountId}
    RETURNING id, version::integer, shard`;
}

const epochs = new Map(Array.from({ length: 64 }, (_, shard) => [shard, 0]));
async function claim(id: string, step = 1) {
  const rows = await api.sql`SELECT id, version::integer, shard FROM schedules WHERE id = ${id}`;
  const wanted = rows.map((row) => ({ id: row.id, version: row.version, shard: row.shard, earlyMs: 0 }));
  return claimSchedules(api.sql, dispatcherId, epochs, wanted, step);
}

const read = async () => {
  const [row] = await api.sql`
    SELECT count(*)::int AS rows, coalesce(sum(version), 0)::int AS versions, count(*) FILTER (WHERE status = 'firing')::int AS firing
    FROM schedules WHERE account_id = ${caller.accountId}`;
  return row as unknown as { rows: number; versions: number; firing: number };
};
/** How many calls of the API's database have failed. */
const failedCalls = () => Object.values(api.services.databaseErrors).reduce((sum, count) => sum + count);

describe("DELETE /v1/me 204", () => {
  it("ends every credential of the account at once, clears the cookie, and affects no other account", async () => {
    const second = await api.session(caller.accountId);
    const other = await api.account();
    const { status, text, headers } = await remove();
    expect([status, text]).toEqual([204, ""]);
    expect(headers.get("set-cookie")).toBe("sw_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure");
    expect(headers.get("clear-site-data")).toBe('"cache", "storage"');
    for (const credential of [session, second, caller.live, caller.test]) {
      expect(await api.call("GET", "/v1/me", credential)).toMatchObject({ status: 401 });
    }
    expect(await api.sql`SELECT 1 FROM sessions WHERE account_id = ${caller.accountId}`).toHaveLength(0);
    const keys = await api.sql`SELECT 1 FROM api_keys WHERE account_id = ${caller.accountId} AND revoked_at IS NULL`;
    expect(keys).toHaveLength(0);
    expect(await api.call("GET", "/v1/me", other.live)).toMatchObject({ status: 200 });
  });

  it("clears the cookie also when the session was due for renewal", async () => {
    await api.sql`UPDATE sessions SET expires_at = now() + interval '5 days' WHERE id = ${session.id}`;
    expect((await api.call("GET", "/v1/me", session)).headers.get("set-cookie")).toMatch(/Max-Age=604800/);
    await api.sql`UPDATE sessions SET expires_at = now() + interval '5 days' WHERE id = ${session.id}`;
    expect((await remove()).headers.get("set-cookie")).toMatch(/^sw_session=; .*Max-Age=0/);
  });

  it("deletes the links that wait for its address, and the mails to it, at once and before the answer", async () => {
    const { email } = (await api.call("GET", "/v1/me", session)).body.user;
    const other = `${crypto.randomUUID()}@example.com`;
    for (const to of [email, other]) {
      const answer = await api.call("POST", "/v1/auth/magic/start", null, { email: to });
      expect(answer).toMatchObject({ status: 202 });
    }
    // Mails that a process did not finish writing.
    const folder = api.config.mail.mailboxDir;
    for (const name of await readdir(folder)) await copyFile(join(folder, name), join(folder, `${name}.draft`));
    expect(await remove()).toMatchObject({ status: 204 });
    const tokens = await api.sql`SELECT email FROM sign_in_tokens WHERE email IN ${api.sql([email, other])}`;
    expect(tokens.map((row) => row.email)).toEqual([other]);
    const mails = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")));
    expect(mails.filter((text) => text.includes(email))).toEqual([]);
    expect(mails.filter((text) => text.includes(other))).toHaveLength(2);
  });

  it("leaves the e-mail address free for a new account", async () => {
    const { email } = (await api.call("GET", "/v1/me", session)).body.user;
    await remove();
    const made = await api.services.database.run(10_000, ({ db }) =>
      createOrFindAccount(db, { email, plan: "free", keyRing: api.config.keyRing, nowMs: Date.now() }),
    );
    expect(made.created).toBe(true);
  });

  it("lets no create succeed after it: the schedules answered with 201 are exactly those that exist at its answer", async () => {
    for (let round = 0; round < 5; round++) {
      caller = await api.account("indie");
      session = await api.session(caller.accountId);
      const item = { targetUrl: TARGET, fireAt: FUTURE };
      const answers: Promise<Answer>[] = [];
      for (let i = 0; i < 60; i++) answers.push(api.call("POST", "/v1/schedules", caller.live, item));
      for (let i = 0; i < 5; i++) {
        answers.push(api.call("POST", "/v1/schedules/bulk", caller.live, { schedules: Array(20).fill(item) }));
      }
      const deletion = remove();
      for (let i = 0; i < 60; i++) answers.push(api.call("POST", "/v1/schedules", caller.live, item));
      expect(await deletion).toMatchObject({ status: 204 });
      const { rows } = await read();

      const settled = await Promise.all(answers);
      const created = settled.reduce((sum, { status, body }) => {
        if (status === 200) return sum + body.accepted.length;
        expect([201, 401]).toContain(status);
        return sum + (status === 201 ? 1 : 0);
      }, 0);
      expect([(await read()).rows, created]).toEqual([rows, rows]);
    }
  });

  it("lets no claim succeed after it, however many are in flight", async () => {
    for (let rounds = 0; rounds < 5; ) {
      caller = await api.account("indie");
      session = await api.session(caller.accountId);
      const schedules = await due(8);
      let claimed = 0;
      let isDeleted = false;
      const hammer = async (id: string) => {
        for (let after = 0; after < 10; after += isDeleted ? 1 : 0) {
          const claims = await claim(id);
          claimed += claims.length;
          if (claims.length > 0) await releaseSchedules(api.sql, dispatcherId, claims);
        }
      };
      const hammers = schedules.map(({ id }) => hammer(id));
      await waitFor("claims are under way", () => claimed > 20);
      const failedBefore = failedCalls();
      const startedMs = performance.now();
      expect(await remove()).toMatchObject({ status: 204 });
      const tookMs = performance.now() - startedMs;
      const atAnswer = await read();
      isDeleted = true;
      await Promise.all(hammers);
      // By design a deletion gives up its wait for claims after half a second, and that for attempts after two.
      if (failedCalls() > failedBefore || tookMs >= 2_000) continue;
      rounds++;
      expect(atAnswer.firing).toBe(0);
      expect(await read()).toEqual(atAnswer);
    }
  });

  it("waits for a claim that began before it and is not committed, and for its attempt", async () => {
    const [schedule] = await due(1);
    // Until the claim and the deletion wait for it. The deletion waits for half a second at most.
    const lock = `PERFORM FROM shards WHERE id = ${schedule?.shard} FOR UPDATE;`;
    const holder = api.sql.unsafe(untilWaiting(2, lock)).execute();
    await waitFor("the shard is held", async () => {
      const rows = await api.sql`SELECT id FROM shards WHERE id = ${schedule?.shard} FOR UPDATE SKIP LOCKED`;
      return rows.length === 0;
    });
    const claiming = claim(schedule?.id);
    await waitFor("the claim waits", async () => (await waitingForLock(api.sql)) === 1);
    let answeredMs = Number.POSITIVE_INFINITY;
    const answer = remove().finally(() => {
      answeredMs = performance.now();
    });
    const claims = await claiming;
    const claimedMs = performance.now();
    await holder;
    expect(claims).toHaveLength(1);
    expect(await api.sql`SELECT status FROM accounts WHERE id = ${caller.accountId}`).toEqual([{ status: "deleted" }]);
    // It waits for the attempt, for two seconds at most.
    expect(answeredMs - claimedMs).toBeGreaterThan(1_900);
    await releaseSchedules(api.sql, dispatcherId, claims);
    expect(await answer).toMatchObject({ status: 204 });
    expect(await claim(schedule?.id)).toEqual([]);
  });

  it("waits two seconds for an attempt that goes on, and no longer", async () => {
    const [schedule] = await due(1);
    expect(await claim(schedule?.id)).toHaveLength(1);
    const endCount = countRunTime();
    const startedMs = performance.now();
    expect(await remove()).toMatchObject({ status: 204 });
    expect(performance.now() - startedMs).toBeGreaterThan(1_900);
    expect(endCount()).toBeLessThan(4_000);
  });

  it("is answered also while another session holds the lock of the shard", async () => {
    const [schedule] = await due(1);
    await api.sql.begin(async (tx) => {
      await tx`SELECT 1 FROM shards WHERE id = ${schedule?.shard} FOR KEY SHARE`;
      expect(await remove()).toMatchObject({ status: 204 });
    });
  });
});

describe("DELETE /v1/me 401", () => {
  it("answers all but one of several calls at once", async () => {
    const sessions = await Promise.all(Array.from({ length: 6 }, () => api.session(caller.accountId)));
    const answers = await Promise.all(sessions.map((one) => api.call("DELETE", "/v1/me", one)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401, 401, 401, 401, 401]);
  });
});
