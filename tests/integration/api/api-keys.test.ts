import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseApiKey } from "#domain/api-key.ts";
import { decodeId } from "#domain/ids.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { type Api, FUTURE, startApi, TARGET, type TestCaller, type TestSession } from "./api.ts";

let api: Api;
let caller: TestCaller;
let session: TestSession;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());
beforeEach(async () => {
  caller = await api.account();
  session = await api.session(caller.accountId);
});

const NOBODYS = "key_01h00000000000000000000000";
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const create = (body: unknown) => api.call("POST", "/v1/api-keys", session, body);
const rotate = (id: string, body?: unknown) => api.call("POST", `/v1/api-keys/${id}/rotate`, session, body);
const revoke = (id: string) => api.call("POST", `/v1/api-keys/${id}/revoke`, session);
const list = async () => (await api.call("GET", "/v1/api-keys", session)).body.items;
const works = async (key: string) => (await api.call("GET", "/v1/schedules", key)).status === 200;

describe("POST /v1/api-keys 201", () => {
  it.each(["live", "test"] as const)("creates a %s key that works at once", async (env) => {
    const { status, body } = await create({ name: " CI ✓ ", env });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^key_/),
      name: "CI ✓",
      env,
      prefix: `sw_${env}_`,
      last4: body.key.slice(-4),
      created_at: INSTANT,
      last_used_at: null,
      revoked_at: null,
      expires_at: null,
      key: expect.stringMatching(new RegExp(`^sw_${env}_`)),
    });
    expect(parseApiKey(body.key)).toEqual({ env });
    expect((await api.call("GET", "/v1/me", body.key)).body.apiKey).toEqual({ id: body.id, env });
  });

  it("shows the raw value only once, and the database stores only its SHA-256", async () => {
    const { key } = (await create({ name: "x", env: "live" })).body;
    expect(JSON.stringify(await list())).not.toContain(key);
    const rows =
      await api.sql`SELECT api_keys::text AS text, hash FROM api_keys WHERE account_id = ${caller.accountId}`;
    expect(JSON.stringify(rows.map(({ text }) => text))).not.toContain(key.slice(8, -4));
    expect(rows.some(({ hash }) => createHash("sha256").update(key).digest().equals(hash))).toBe(true);
  });

  it("accepts a name of 1 to 80 characters of any Unicode plane", async () => {
    for (const name of ["x", "𝒳".repeat(80)]) expect((await create({ name, env: "live" })).body.name).toBe(name);
  });
});

describe("POST /v1/api-keys 400", () => {
  it.each<[unknown, string]>([
    [{ env: "live" }, "name"],
    [{ name: "x" }, "env"],
    [{ name: "x", env: "prod" }, "env"],
    [{ name: "x", env: null }, "env"],
    [{ name: 5, env: "live" }, "name"],
    [{ name: "", env: "live" }, "name"],
    [{ name: "   ", env: "live" }, "name"],
    [{ name: "𝒳".repeat(81), env: "live" }, "name"],
    [{ name: "a\0", env: "live" }, "name"],
    [{ name: "a\nb", env: "live" }, "name"],
    [{ name: "\ud800", env: "live" }, "name"],
    [{ name: "x", env: "live", key: "sw_live_x" }, "key"],
    [{ name: "x", env: "live", accountId: "acc_x" }, "accountId"],
  ])("for %j names %s", async (body, path) => {
    const before = (await list()).length;
    const answer = await create(body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "VALIDATION", details: [{ path }] } } });
    expect(await list()).toHaveLength(before);
  });
});

describe("an account that made 200 keys within 24 hours", () => {
  const made = (count: number, hoursAgo: number) => api.sql`
    INSERT INTO api_keys (id, account_id, env, name, hash, last4, created_at, revoked_at)
    SELECT gen_random_uuid(), ${caller.accountId}, 'test', 'many', sha256(gen_random_uuid()::text::bytea), 'abcd', at, at
    FROM (SELECT now() - ${hoursAgo}::float8 * interval '1 hour' AS at) instant, generate_series(1, ${count}::integer) n`;

  it("cannot create or rotate a key, is told when it can, and can still revoke keys", async () => {
    const { id, key } = (await create({ name: "rotated", env: "live" })).body;
    await made(196, 20);
    await made(5_000, 25);
    expect(await create({ name: "the last", env: "live" })).toMatchObject({ status: 201 });
    for (const answer of [await create({ name: "one more", env: "live" }), await rotate(id)]) {
      expect(answer).toMatchObject({ status: 429, body: { error: { code: "RATE_LIMITED" } } });
      expect(answer.body.error.message).toBe("This account made 200 API keys within 24 hours. Try again in 4 hours.");
      const waitS = Number(answer.headers.get("retry-after"));
      expect(waitS).toBeGreaterThan(4 * 3_600 - 60);
      expect(waitS).toBeLessThanOrEqual(4 * 3_600);
    }
    expect(await works(key)).toBe(true);
    expect(await revoke(id)).toMatchObject({ status: 204 });
  });

  it("cannot exceed the 200 by creating and rotating twenty at once", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 10; n++) ids.push((await create({ name: "raced", env: "live" })).body.id);
    await made(200 - 12 - 6, 1);
    const answers = await Promise.all([
      ...ids.map((id) => rotate(id)),
      ...ids.map(() => create({ name: "raced", env: "live" })),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(6).fill(201), ...Array(14).fill(429)]);
  });
});

describe("an account with the maximum of 100 keys that are not revoked", () => {
  const revokedAndNot = (revoked: number, inForce: number) => api.sql`
    INSERT INTO api_keys (id, account_id, env, name, hash, last4, revoked_at)
    SELECT gen_random_uuid(), ${caller.accountId}, 'test', 'many', sha256(gen_random_uuid()::text::bytea), 'abcd',
      CASE WHEN n <= ${revoked} THEN now() END FROM generate_series(1, ${revoked + inForce}::integer) n`;
  const inForce = async () =>
    (await list()).filter((item: { revoked_at: string | null }) => item.revoked_at === null).length;

  it("gets a CONFLICT that says so for the next one, and can create one after revoking another", async () => {
    await revokedAndNot(50, 98);
    const answer = await create({ name: "one more", env: "live" });
    expect(answer).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
    expect(answer.body.error.message).toBe(
      "This account has 100 API keys that are not revoked, and may not have more.",
    );
    const [{ id }] = (await list()).filter((item: { revoked_at: string | null }) => item.revoked_at === null);
    await revoke(id);
    expect(await create({ name: "one more", env: "live" })).toMatchObject({ status: 201 });
  });

  it("cannot exceed the maximum by creating twenty at once", async () => {
    await revokedAndNot(0, 91);
    const answers = await Promise.all(Array.from({ length: 20 }, () => create({ name: "raced", env: "live" })));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(7).fill(201), ...Array(13).fill(409)]);
    expect(await inForce()).toBe(100);
  });

  it("can rotate one of its keys, with an overlap only after revoking another", async () => {
    await revokedAndNot(0, 97);
    const { id, key } = (await create({ name: "last", env: "live" })).body;
    expect(await rotate(id, { overlapHours: 1 })).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
    expect(await works(key)).toBe(true);
    expect((await list())[0]).toMatchObject({ id, revoked_at: null, expires_at: null });
    expect(await rotate(id)).toMatchObject({ status: 201 });
    expect(await inForce()).toBe(100);
  });
});

describe("GET /v1/api-keys 200", () => {
  it("lists the account's keys of both environments, newest first, without raw values", async () => {
    await api.account();
    const made = [await create({ name: "a", env: "live" }), await create({ name: "b", env: "test" })];
    await revoke(made[1]?.body.id);
    const items = await list();
    expect(items.map((item: { name: string }) => item.name)).toEqual(["b", "a", "k", "k"]);
    expect(items[0]).toMatchObject({ id: made[1]?.body.id, env: "test", revoked_at: INSTANT });
    expect(items[1].revoked_at).toBeNull();
    expect(items.every((item: object) => !("key" in item) && !("hash" in item))).toBe(true);
  });

  it("shows when a key was last used", async () => {
    await api.call("GET", "/v1/schedules", caller.test);
    const lastUsedAt = await waitFor("its use is recorded", async () => {
      const [used] = (await list()).filter((item: { env: string }) => item.env === "test");
      return used.last_used_at;
    });
    expect(lastUsedAt).toEqual(INSTANT);
  });

  it("omits revoked keys when there are more than a thousand, and never an active one", async () => {
    await api.sql`
      INSERT INTO api_keys (id, account_id, env, name, hash, last4, created_at, revoked_at)
      SELECT gen_random_uuid(), ${caller.accountId}, 'live', 'old', sha256(gen_random_uuid()::text::bytea), 'abcd',
        now() + n * interval '1 s', now() FROM generate_series(1, 1010) n`;
    const items: { name: string; created_at: string; revoked_at: string | null }[] = await list();
    expect(items).toHaveLength(1_000);
    expect(items.filter((item) => item.revoked_at === null)).toHaveLength(2);
    expect(items.map((item) => item.created_at)).toEqual(
      items
        .map((item) => item.created_at)
        .sort()
        .reverse(),
    );
  });
});

describe("POST /v1/api-keys/:id/rotate 201", () => {
  it("replaces the key in one step by a new id and value with the same name and environment", async () => {
    const old = (await create({ name: "server", env: "test" })).body;
    const { status, body } = await rotate(old.id);
    expect(status).toBe(201);
    expect(Object.keys(body).sort()).toEqual(Object.keys(old).sort());
    expect(body).toMatchObject({ name: "server", env: "test", last_used_at: null, revoked_at: null });
    expect([body.id === old.id, body.key === old.key]).toEqual([false, false]);
    expect([await works(old.key), await works(body.key)]).toEqual([false, true]);
    expect((await list()).find((item: { id: string }) => item.id === old.id).revoked_at).toEqual(INSTANT);
  });

  it("succeeds once for twenty calls at once, and makes one replacement", async () => {
    const { id } = (await create({ name: "raced", env: "live" })).body;
    const answers = await Promise.all(Array.from({ length: 20 }, () => rotate(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
    expect((await list()).filter((item: { name: string }) => item.name === "raced")).toHaveLength(2);
  });
});

describe("POST /v1/api-keys/:id/rotate with an overlap", () => {
  const find = async (id: string) => (await list()).find((item: { id: string }) => item.id === id);
  const passes = (id: string, hours: number) => api.sql`
    UPDATE api_keys SET revoked_at = revoked_at - ${hours}::float8 * interval '1 hour',
      expires_at = expires_at - ${hours}::float8 * interval '1 hour' WHERE id = ${decodeId("key", id)}`;

  it("keeps the old key in force until its expires_at, beside the replacement, and then refuses it with the instant", async () => {
    const old = (await create({ name: "server", env: "live" })).body;
    expect(await api.create(old.key)).toMatch(/^sch_/);
    const before = Date.now();
    const { status, body } = await rotate(old.id, { overlapHours: 24 });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: "server", env: "live", revoked_at: null, expires_at: null });
    const { revoked_at, expires_at } = await find(old.id);
    expect(revoked_at).toBeNull();
    expect(Math.abs(Date.parse(expires_at) - before - 24 * 3_600_000)).toBeLessThan(10_000);
    expect([await works(old.key), await works(body.key)]).toEqual([true, true]);

    await passes(old.id, 25);
    const ended = await find(old.id);
    expect(ended.revoked_at).toBe(ended.expires_at);
    const schedule = { targetUrl: TARGET, fireAt: FUTURE };
    for (const answer of [
      await api.call("GET", "/v1/schedules", old.key),
      await api.call("POST", "/v1/schedules", old.key, schedule),
      await api.call("POST", "/v1/schedules/bulk", old.key, { schedules: [schedule] }),
    ]) {
      expect(answer).toMatchObject({ status: 401, body: { error: { code: "UNAUTHORIZED" } } });
      expect(answer.body.error.message).toBe(
        `This API key was rotated and expired at ${ended.expires_at}. Use the key that replaced it.`,
      );
    }
    expect(await works(body.key)).toBe(true);
  });

  it("lets the old key be revoked at once", async () => {
    const old = (await create({ name: "server", env: "live" })).body;
    await rotate(old.id, { overlapHours: 1 });
    expect(await revoke(old.id)).toMatchObject({ status: 204 });
    expect(await works(old.key)).toBe(false);
    expect(await find(old.id)).toMatchObject({ revoked_at: INSTANT, expires_at: null });
    const { message } = (await api.call("GET", "/v1/schedules", old.key)).body.error;
    expect(message).not.toContain("expired");
  });

  it("rotates a key once: 409 again while it is still in force", async () => {
    const { id } = (await create({ name: "raced", env: "live" })).body;
    const answers = await Promise.all(Array.from({ length: 8 }, () => rotate(id, { overlapHours: 2 })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    expect(await rotate(id)).toMatchObject({ status: 409 });
    expect((await list()).filter((item: { name: string }) => item.name === "raced")).toHaveLength(2);
  });

  it.each([[{}], [{ overlapHours: 0 }], [undefined]])("ends the old key at once for the body %j", async (body) => {
    const old = (await create({ name: "server", env: "test" })).body;
    expect(await rotate(old.id, body)).toMatchObject({ status: 201 });
    expect(await works(old.key)).toBe(false);
    expect(await find(old.id)).toMatchObject({ revoked_at: INSTANT, expires_at: null });
  });

  it.each([-1, 25, 1.5, "2", null, true])("refuses %j hours, and leaves the key as it was", async (overlapHours) => {
    const old = (await create({ name: "server", env: "test" })).body;
    const answer = await rotate(old.id, { overlapHours });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { code: "VALIDATION", details: [{ path: "overlapHours" }] } },
    });
    expect(await rotate(old.id, { hours: 2 })).toMatchObject({ status: 400 });
    expect(await works(old.key)).toBe(true);
  });
});

describe("POST /v1/api-keys/:id/rotate 409", () => {
  it("answers for a key that was revoked or rotated out", async () => {
    const { id } = (await create({ name: "x", env: "live" })).body;
    await revoke(id);
    expect(await rotate(id)).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
  });
});

describe("POST /v1/api-keys/:id/revoke 204", () => {
  it("ends the key at once, gives the same answer when repeated, and keeps the first revocation time", async () => {
    const { id, key } = (await create({ name: "x", env: "live" })).body;
    const revokedAt = async () => (await list())[0].revoked_at;
    expect(await revoke(id)).toMatchObject({ status: 204, text: "" });
    expect(await works(key)).toBe(false);
    const first = await revokedAt();
    expect(await revoke(id)).toMatchObject({ status: 204, text: "" });
    expect(await revokedAt()).toBe(first);
  });
});

describe.each(["rotate", "revoke"])("POST /v1/api-keys/:id/%s 404", (verb) => {
  it("is the same answer for an unknown, a malformed and another account's id, which stays unchanged", async () => {
    const other = await api.account();
    const foreign = (await api.call("GET", "/v1/me", other.live)).body.apiKey.id;
    const ids = [foreign, NOBODYS, foreign.toUpperCase(), foreign.replace("key_", "sch_"), "x", "%00"];
    const answers = await Promise.all(ids.map((id) => api.call("POST", `/v1/api-keys/${id}/${verb}`, session)));
    for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: answers[0]?.body });
    expect(answers[0]?.body.error.code).toBe("NOT_FOUND");
    expect(await works(other.live)).toBe(true);
  });
});
