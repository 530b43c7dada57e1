// Final: its verdict is about what a credential is allowed.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Endpoint } from "#contract/endpoint.ts";
import { ENDPOINTS } from "#contract/endpoints.ts";
import { readUnsubscribeKey } from "#db/queries/fleet/instance-secrets.ts";
import { generateApiKey } from "#domain/api-key.ts";
import { encodeId, newId } from "#domain/ids.ts";
import { generateSessionToken } from "#domain/session-token.ts";
import { unsubscribeToken } from "#domain/unsubscribe-token.ts";
import { type Api, call, startApi, type TestCaller, testConfig } from "./api.ts";

let api: Api;

beforeAll(async () => {
  const gitHub = { AUTH_GITHUB_ID: "id", AUTH_GITHUB_SECRET: "secret" };
  api = await startApi({ ADMIN_EMAILS: "root@example.com", ...gitHub });
});
afterAll(() => api.stop());
// Deletes the requests for links, since an address may request only a few.
beforeEach(() => api.sql`DELETE FROM sign_in_requests`);

type Expected = "allowed" | "UNAUTHORIZED" | "FORBIDDEN" | "NOT_FOUND";
type Credential = string | { cookie: string } | null;
type Make = (owner: TestCaller) => Promise<Credential> | Credential;

/**
 * The answer to each credential, in this order: where both kinds are accepted, where only a session is, and where a
 * path names something of the account. When the third is absent, the first or second applies.
 */
const CREDENTIALS: Record<string, { make: Make; expected: [Expected, Expected, Expected?] }> = {
  none: { make: () => null, expected: ["UNAUTHORIZED", "UNAUTHORIZED"] },
  "malformed key": { make: ({ live }) => `${live.slice(0, -1)}!`, expected: ["UNAUTHORIZED", "UNAUTHORIZED"] },
  "unknown key": { make: () => generateApiKey("live"), expected: ["UNAUTHORIZED", "UNAUTHORIZED"] },
  "revoked key": {
    async make({ accountId, test }) {
      await api.sql`UPDATE api_keys SET revoked_at = now() WHERE account_id = ${accountId} AND env = 'test'`;
      return test;
    },
    expected: ["UNAUTHORIZED", "UNAUTHORIZED"],
  },
  "rotated-out key": {
    async make({ accountId, test }) {
      const { id } = (await call("GET", "/v1/me", test)).body.apiKey;
      await call("POST", `/v1/api-keys/${id}/rotate`, await api.session(accountId));
      return test;
    },
    expected: ["UNAUTHORIZED", "UNAUTHORIZED"],
  },
  "deactivated account's key": {
    async make({ accountId, live }) {
      await deactivate(accountId);
      return live;
    },
    expected: ["UNAUTHORIZED", "UNAUTHORIZED"],
  },
  "deleted account's key": {
    async make({ accountId, live }) {
      await call("DELETE", "/v1/me", await api.session(accountId));
      return live;
    },
    expected: ["UNAUTHORIZED", "UNAUTHORIZED"],
  },
  "live key": { make: ({ live }) => live, expected: ["allowed", "FORBIDDEN"] },
  "test key": { make: ({ test }) => test, expected: ["allowed", "FORBIDDEN", "NOT_FOUND"] },
  "other account's key": {
    make: async () => (await api.account()).live,
    expected: ["allowed", "FORBIDDEN", "NOT_FOUND"],
  },
  session: { make: ({ accountId }) => api.session(accountId), expected: ["allowed", "allowed"] },
  "other account's session": {
    make: async () => api.session((await api.account()).accountId),
    expected: ["allowed", "allowed", "NOT_FOUND"],
  },
  "expired session": {
    make: ({ accountId }) => api.session(accountId, { ageDays: 7.001 }),
    expected: ["UNAUTHORIZED", "UNAUTHORIZED"],
  },
  "logged-out session": {
    async make({ accountId }) {
      const session = await api.session(accountId);
      await api.sql`DELETE FROM sessions WHERE id = ${session.id}`;
      return session;
    },
    expected: ["UNAUTHORIZED", "UNAUTHORIZED"],
  },
  "forged session": {
    make: () => ({ cookie: `sw_session=${generateSessionToken()}` }),
    expected: ["UNAUTHORIZED", "UNAUTHORIZED"],
  },
  "deactivated account's session": {
    async make({ accountId }) {
      const session = await api.session(accountId);
      await deactivate(accountId);
      return session;
    },
    expected: ["UNAUTHORIZED", "UNAUTHORIZED"],
  },
  "admin session": {
    async make({ accountId }) {
      await api.sql`UPDATE accounts SET email = id || '@example.com' WHERE email = 'root@example.com'`;
      await api.sql`
        UPDATE accounts SET email = 'root@example.com', email_verified_at = now() WHERE id = ${accountId}`;
      return api.session(accountId);
    },
    expected: ["allowed", "allowed"],
  },
};

/** Whether a call needs something that its path names. */
const needsNamed = ({ method, path }: Endpoint) =>
  path.includes("{id}") || (path.includes("{key}") && method !== "PUT");

function expectedOf(
  endpoint: Endpoint,
  name: string,
  [any, session, named]: [Expected, Expected, Expected?],
): Expected {
  const { auth } = endpoint;
  if (auth === "none") return "allowed";
  if (auth === "testKey" && any === "allowed" && name !== "test key") return "FORBIDDEN";
  const expected = auth === "session" ? session : any;
  return needsNamed(endpoint) && expected === "allowed" ? (named ?? expected) : expected;
}

const deactivate = (accountId: string) => api.sql`UPDATE accounts SET status = 'deactivated' WHERE id = ${accountId}`;

/** All that a call could change of an account. */
const stateOf = ({ accountId }: TestCaller) =>
  api.sql`
    SELECT (SELECT to_jsonb(a) FROM accounts a WHERE id = ${accountId}) AS account,
      (SELECT jsonb_agg(s ORDER BY id) FROM schedules s WHERE account_id = ${accountId}) AS schedules,
      (SELECT jsonb_agg(to_jsonb(k) - 'last_used_at' ORDER BY id) FROM api_keys k WHERE account_id = ${accountId}) AS keys,
      (SELECT jsonb_agg(s ORDER BY env) FROM signing_secrets s WHERE account_id = ${accountId}) AS secrets,
      (SELECT jsonb_agg(r ORDER BY id) FROM recurrences r WHERE account_id = ${accountId}) AS recurrences,
      (SELECT count(*) FROM operations WHERE account_id = ${accountId} AND ended_at IS NULL) AS operations,
      (SELECT count(*) FROM sessions WHERE account_id = ${accountId}) AS sessions,
      (SELECT count(*) FROM identities WHERE account_id = ${accountId}) AS identities`;

/** A running operation. */
async function operationOf(key: string): Promise<string> {
  await api.create(key);
  return (await call("POST", "/v1/operations", key, { action: "cancel", all: true })).body.id;
}

const putRecurrence = (key: string, name: string) =>
  call("PUT", `/v1/recurrences/${name}`, key, { cron: "@yearly", targetUrl: "https://example.com/hook" });

/** The path of an endpoint with something in it that the account has in its live environment. */
async function pathFor({ path }: Endpoint, { accountId, live }: TestCaller): Promise<string> {
  if (path === "/v1/notices/unsubscribe") {
    const key = await readUnsubscribeKey(api.sql as never, testConfig("postgres://localhost/x").keyRing);
    return `${path}?token=${unsubscribeToken(key, accountId)}`;
  }
  if (path.startsWith("/v1/recurrences/")) {
    await putRecurrence(live, "live");
    return path.replace("{key}", "live");
  }
  if (path.includes("{key}")) {
    await api.create(live, { idempotencyKey: "live" });
    return path.replace("{key}", "live");
  }
  if (!path.includes("{id}")) return path.replace("{provider}", "github");
  if (path.startsWith("/v1/schedules/")) return path.replace("{id}", await api.create(live));
  if (path.startsWith("/v1/operations/")) return path.replace("{id}", await operationOf(live));
  if (path.startsWith("/v1/me/identities/")) {
    const [identity] = await api.sql`
      INSERT INTO identities (provider, provider_account_id, account_id) VALUES ('github', ${accountId}, ${accountId})
      RETURNING id`;
    return path.replace("{id}", encodeId("idn", identity?.id));
  }
  if (path.startsWith("/v1/listen/")) return path.replace("{id}", encodeId("exc", newId(Date.now())));
  if (path.startsWith("/v1/me/sessions/"))
    return path.replace("{id}", encodeId("ses", (await api.session(accountId)).id));
  const [key] = await api.sql`SELECT id FROM api_keys WHERE account_id = ${accountId} AND env = 'live'`;
  return path.replace("{id}", encodeId("key", key?.id));
}

// The health endpoints are excluded, since no account has a right there.
const GUARDED = ENDPOINTS.filter(({ path }) => path.startsWith("/v1/"));

/** The answer to callers with the right credential, where billing is not configured and nothing is signed. */
const WITHOUT_BILLING: Record<string, number> = { startCheckout: 503, openPortal: 503, receiveBillingEvent: 400 };

const GROUPS = GUARDED.map((endpoint) => {
  const cells = Object.entries(CREDENTIALS).map(([name, { make, expected }]) => ({
    name,
    make,
    expected: expectedOf(endpoint, name, expected),
  }));
  const allowed = cells.filter(({ expected }) => expected === "allowed");
  const refused = cells.filter(({ expected }) => expected !== "allowed");
  return { title: `${endpoint.method} ${endpoint.path}`, endpoint, allowed, refused };
});

const statusOf = { UNAUTHORIZED: 401, FORBIDDEN: 403, NOT_FOUND: 404 };

/** Credentials that are refused everywhere do not depend on what a path names: each is made once, with an owner of its own. */
const useless = new Map<string, Promise<Credential>>();

async function credentialOf({ name, make }: { name: string; make: Make }, owner: TestCaller): Promise<Credential> {
  if (!CREDENTIALS[name]?.expected.every((it) => it === "UNAUTHORIZED")) return make(owner);
  const made = useless.get(name) ?? api.account().then(make);
  useless.set(name, made);
  return made;
}

describe(`${GUARDED.length} endpoints × ${Object.keys(CREDENTIALS).length} credentials`, () => {
  it.each(GROUPS.filter(({ refused }) => refused.length > 0))(
    "$title refuses $refused.length of them, and changes nothing",
    async ({ endpoint, refused }) => {
      const owner = await api.account();
      const path = await pathFor(endpoint, owner);
      const credentials = [];
      for (const cell of refused) credentials.push({ name: cell.name, credential: await credentialOf(cell, owner) });
      const before = await stateOf(owner);
      const answers = [];
      for (const { name, credential } of credentials) {
        const { status, headers, body } = await call(endpoint.method, path, credential, endpoint.bodyExample);
        answers.push([name, status, body?.error?.code, headers.get("www-authenticate")]);
      }
      expect(answers).toEqual(
        refused.map(({ name, expected }) => {
          const code = expected as keyof typeof statusOf;
          return [name, statusOf[code], code, code === "UNAUTHORIZED" ? "Bearer" : null];
        }),
      );
      expect(await stateOf(owner)).toEqual(before);
    },
  );

  const allowed = GROUPS.flatMap(({ title, endpoint, allowed }) =>
    allowed.map((cell) => ({ title: `${title} with ${cell.name}`, endpoint, cell })),
  );
  it.each(allowed)("$title: allowed", async ({ endpoint, cell }) => {
    const owner = await api.account();
    const path = await pathFor(endpoint, owner);
    const answer = await call(endpoint.method, path, await credentialOf(cell, owner), endpoint.bodyExample);
    const without = WITHOUT_BILLING[endpoint.operationId];
    if (without) expect(answer.status, answer.text).toBe(without);
    else expect(answer.status, answer.text).toBeLessThan(400);
  });
});

describe("environments are separate:", () => {
  const environments = ["live", "test"] as const;
  const other = { live: "test", test: "live" } as const;
  let owner: TestCaller;
  let ids: Record<"live" | "test", string>;
  let operations: Record<"live" | "test", string>;

  beforeEach(async () => {
    owner = await api.account();
    const create = (env: "live" | "test") => api.create(owner[env], { idempotencyKey: env });
    ids = { live: await create("live"), test: await create("test") };
    for (const env of environments) await putRecurrence(owner[env], env);
    operations = { live: await operationOf(owner.live), test: await operationOf(owner.test) };
    for (const env of environments) {
      await api.sql`
        INSERT INTO attempts (schedule_id, attempt, attempted_at, account_id, env, outcome, status_code, latency_ms, error_text)
        SELECT id, 1, now(), account_id, env, 'rejected', 500, 1, ${env} FROM schedules
        WHERE account_id = ${owner.accountId} AND env = ${env}`;
    }
  });

  const pathIn = (env: "live" | "test", { path }: Endpoint) =>
    path.replace("{id}", (path.startsWith("/v1/operations/") ? operations : ids)[env]).replace("{key}", env);

  const named = ENDPOINTS.filter((endpoint) => endpoint.hasEnv && needsNamed(endpoint));

  it.each(named.flatMap((endpoint) => environments.map((env) => ({ endpoint, env }))))(
    "$endpoint.method $endpoint.path answers 404 in the other environment for what is in $env, by key and by session",
    async ({ endpoint, env }) => {
      const session = await api.session(owner.accountId);
      const path = pathIn(env, endpoint);
      const before = await api.sql`SELECT * FROM schedules WHERE account_id = ${owner.accountId} ORDER BY id`;
      for (const answer of [
        await call(endpoint.method, path, owner[other[env]], endpoint.bodyExample),
        await call(endpoint.method, `${path}?env=${other[env]}`, session, endpoint.bodyExample),
      ]) {
        expect(answer).toMatchObject({ status: 404, body: { error: { code: "NOT_FOUND" } } });
      }
      const after = await api.sql`SELECT * FROM schedules WHERE account_id = ${owner.accountId} ORDER BY id`;
      expect(after).toEqual(before);
      const own = await call(endpoint.method, `${path}?env=${env}`, session, endpoint.bodyExample);
      expect(own.status, own.text).toBeLessThan(300);
    },
  );

  const whole = ENDPOINTS.filter(({ method, path, hasEnv }) => hasEnv && method === "GET" && !path.includes("{"));

  it.each(whole)("$method $path shows nothing of the other environment", async ({ method, path }) => {
    const session = await api.session(owner.accountId);
    for (const env of environments) {
      const before = (await call(method, path, owner[env])).body;
      await api.create(owner[other[env]]);
      await call("POST", "/v1/signing-secrets/rotate", owner[other[env]]);
      const after = (await call(method, path, owner[env])).body;
      expect(after).toEqual(before);
      expect((await call(method, `${path}?env=${env}`, session)).body).toEqual(before);
      expect(JSON.stringify(after)).not.toContain(ids[other[env]]);
    }
  });

  it.each(ENDPOINTS.filter(({ hasEnv }) => hasEnv))(
    "$method $path accepts no env that contradicts the key",
    async (endpoint) => {
      for (const env of environments) {
        const path = pathIn(env, endpoint);
        const refused = await call(endpoint.method, `${path}?env=${other[env]}`, owner[env], endpoint.bodyExample);
        expect(refused).toMatchObject({ status: 400, body: { error: { details: [{ path: "env" }] } } });
        const taken = await call(endpoint.method, `${path}?env=${env}`, owner[env], endpoint.bodyExample);
        expect(taken.status, taken.text).toBeLessThan(300);
      }
    },
  );

  it("each has a signing secret and a rotation of its own", async () => {
    const read = async (key: string) => (await call("GET", "/v1/signing-secrets", key)).body;
    const [live, test] = [await read(owner.live), await read(owner.test)];
    expect(new Set([live.current, live.next, test.current, test.next]).size).toBe(4);
    await call("POST", "/v1/signing-secrets/rotate", owner.test);
    expect(await read(owner.live)).toEqual(live);
  });
});
