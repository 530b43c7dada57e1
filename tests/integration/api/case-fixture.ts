import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { generateApiKey } from "#domain/api-key.ts";
import { encodeId, newId } from "#domain/ids.ts";
import { setUsage } from "../../helpers/usage.ts";
import type { Answer, Api } from "./api.ts";

/** One case of tests/vectors/api.json. */
export type Case = {
  name: string;
  method: string;
  path: string;
  auth: string;
  headers?: Record<string, string>;
  body?: unknown;
  body_raw?: string;
  setup?: string;
  expect_status: number | number[];
  expect_code: string | null;
  also_check?: string[];
};

export type Fixture = Awaited<ReturnType<typeof createFixture>>;

const PAYLOAD_CAP = 51_200;

/** The accounts of one case, the values of its placeholders, and the connection to the web process at `port`. */
export async function createFixture(api: Api, port: number, { auth, setup = "", path, body }: Case) {
  const [a, b] = [await api.account(), await api.account()];
  const session = await api.session(a.accountId);
  const ownKey = auth === "key_test" && setup.startsWith("fresh fixture in the same environment") ? a.test : a.live;
  const accounts = [a.accountId, b.accountId];

  const ended = async (status: string) => {
    const id = await api.create(ownKey, { payload: "hello" });
    await api.sql`
      UPDATE schedules SET status = ${status}, next_attempt_at = NULL, ended_at = now()
      WHERE account_id = ${a.accountId} AND status = 'scheduled'`;
    return id;
  };
  const make = async (name: string): Promise<string> => {
    switch (name) {
      case "URL":
        return "https://example.com/hook";
      case "COOKIE_DOMAIN":
        return "example.com";
      case "KEY_LIVE":
        return a.live;
      case "ACCOUNT_B":
        return encodeId("acc", b.accountId);
      case "KEY_ID":
        return (await api.call("POST", "/v1/api-keys", session, { name: "k", env: "live" })).body.id;
      case "SCH":
        return api.create(ownKey);
      case "SCH_B":
        return api.create(b.live);
      case "SCH_WITH_CANARY":
        return api.create(ownKey, { payload: "the-canary" });
      case "SCH_DONE":
        return ended("succeeded");
      case "SCH_DEAD":
        return ended("dead");
      case "SCH_CANCELLED":
        return ended("cancelled");
      case "SCH_UNKNOWN":
        return encodeId("sch", newId(Date.now()));
      default:
        throw new Error(`no placeholder is called ${name}`);
    }
  };
  const known = new Map<string, string>();
  const standFor = async (name: string): Promise<string> => {
    const [, base = "", seconds = "0"] = /^(\w+?)([+-]\d+)?$/.exec(name) ?? [];
    const [, repeated = "", count = ""] = /^REPEAT:(.+):(.+)$/.exec(name) ?? [];
    if (repeated)
      return repeated.repeat(count.startsWith("CAP") ? PAYLOAD_CAP + Number(count.slice(3)) : Number(count));
    if (base === "FUTURE") return secondsAhead(3_600 + Number(seconds));
    if (base === "NOW") return secondsAhead(Number(seconds));
    return make(name);
  };
  const resolve = async (text: string): Promise<string> => {
    for (const [whole, name = ""] of text.matchAll(/\$\{([^}]+)\}/g)) {
      if (!known.has(whole)) known.set(whole, await standFor(name));
    }
    return text.replaceAll(/\$\{[^}]+\}/g, (whole) => known.get(whole) ?? whole);
  };
  // Runs while the account can still create what it needs.
  await resolve(path + JSON.stringify(body ?? {}));
  const credentials = await credentialsOf(api, auth, { ...a, session });
  await setUp(api, setup, { accountId: a.accountId, key: ownKey });

  return {
    a,
    b,
    session,
    /** The value that the case sent in place of this text, which is a single placeholder or has none. */
    resolved: (text: string) => known.get(text) ?? text,
    /** Sends the request of the case, or another one as the same caller. */
    async send(one: Pick<Case, "method" | "path" | "headers" | "body" | "body_raw">): Promise<Answer> {
      const json = one.body === undefined ? undefined : await resolve(JSON.stringify(one.body));
      const body = one.body_raw === undefined ? json : await resolve(one.body_raw);
      const headers = JSON.parse(await resolve(JSON.stringify(one.headers ?? {})));
      const type = body === undefined ? {} : { "content-type": "application/json" };
      return send(port, one.method, await resolve(one.path), { ...type, ...credentials, ...headers }, body);
    },
    /** All rows of both accounts that a call could have changed. */
    async state(): Promise<unknown> {
      const { sql } = api;
      return Promise.all([
        sql`SELECT id, status, version, fire_at FROM schedules WHERE account_id = ANY(${accounts}) ORDER BY id`,
        sql`SELECT * FROM usage WHERE account_id = ANY(${accounts}) ORDER BY account_id, env`,
        sql`SELECT id, revoked_at FROM api_keys WHERE account_id = ANY(${accounts}) ORDER BY id`,
      ]);
    },
  };
}

const secondsAhead = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

type Own = { accountId: string; live: string; test: string; session: { id: string; cookie: string; token: string } };

/** The headers of a kind of credential. */
async function credentialsOf(api: Api, auth: string, own: Own): Promise<Record<string, string>> {
  const [kind = "", how = ""] = auth.split(/_(.*)/s);
  if (how === "deactivated") await api.sql`UPDATE accounts SET status = 'deactivated' WHERE id = ${own.accountId}`;
  if (kind === "key") return { authorization: `Bearer ${await keyOf(api, how, own)}` };
  if (kind !== "session") return {};
  if (how === "expired") await api.sql`UPDATE sessions SET expires_at = now() WHERE id = ${own.session.id}`;
  if (how === "logged_out") await api.sql`DELETE FROM sessions WHERE id = ${own.session.id}`;
  const { cookie } = own.session;
  return { cookie: how === "forged" ? cookie.replace(/.$/, (last) => (last === "A" ? "B" : "A")) : cookie };
}

async function keyOf(api: Api, how: string, { live, test, session }: Own): Promise<string> {
  if (how === "test") return test;
  if (how === "unknown") return generateApiKey("live");
  if (how === "malformed") return "sw_live_not-a-key!";
  const { id } = (await api.call("GET", "/v1/me", live)).body?.apiKey ?? {};
  if (how === "revoked") await api.call("POST", `/v1/api-keys/${id}/revoke`, session);
  if (how === "rotated_out") await api.call("POST", `/v1/api-keys/${id}/rotate`, session);
  return live;
}

async function setUp(api: Api, setup: string, { accountId, key }: { accountId: string; key: string }): Promise<void> {
  if (setup === "usage = grace_limit") await setUsage(api.sql, accountId, 2_200);
  for (const [, idempotencyKey] of setup.matchAll(/"(.+?)"/g)) await api.create(key, { idempotencyKey });
  if (setup === "created with k4, then DELETE") {
    const id = await api.create(key, { idempotencyKey: "k4" });
    await api.call("DELETE", `/v1/schedules/${id}`, key);
  }
}

async function send(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body = "",
): Promise<Answer> {
  const sent = request({ port, method, path, headers: { ...headers, "content-length": Buffer.byteLength(body) } });
  // After an answer the server no longer reads the rest of a long body.
  sent.on("error", () => {}).end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const received = await text(response);
  return {
    status: response.statusCode ?? 0,
    headers: new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
    text: received,
    body: received ? JSON.parse(received) : undefined,
  };
}
