// Final: its verdict is about what a revoked credential is allowed.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import { startWebProcess, type WebProcess } from "#tests/helpers/web-process.ts";
import { type Api, FUTURE, startApi, TARGET, type TestCaller, type TestSession } from "./api.ts";

let api: Api;
let processes: WebProcess[];
let caller: TestCaller;
let session: TestSession;

beforeAll(async () => {
  api = await startApi();
  const settings = {
    DATABASE_URL: api.config.databaseUrl,
    ENCRYPTION_KEYS,
  };
  processes = await Promise.all([startWebProcess(settings), startWebProcess(settings)]);
});
afterAll(async () => {
  await Promise.all((processes ?? []).map((web) => web.stop()));
  await api.stop();
});
beforeEach(async () => {
  caller = await api.account();
  session = await api.session(caller.accountId);
});

type Credential = string | { cookie: string };

const schedule = { targetUrl: TARGET, fireAt: FUTURE };
const CALLS: [string, string, unknown?][] = [
  ["POST", "/v1/schedules", schedule],
  ["GET", "/v1/schedules"],
  ["POST", "/v1/schedules/bulk", { schedules: [schedule] }],
  ["GET", "/v1/me"],
];

function send(web: WebProcess, credential: Credential, [method, path, body]: (typeof CALLS)[number]) {
  const headers: Record<string, string> =
    typeof credential === "string" ? { authorization: `Bearer ${credential}` } : { cookie: credential.cookie };
  if (body !== undefined) headers["content-type"] = "application/json";
  return fetch(`${web.origin}${path}`, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
}

/** The statuses of each call at each process. */
async function statuses(credential: Credential): Promise<number[]> {
  const answers: number[] = [];
  for (const one of CALLS) {
    for (const web of processes) answers.push((await send(web, credential, one)).status);
  }
  return answers;
}

const [first] = CALLS;
const ALLOWED = [201, 201, 200, 200, 200, 200, 200, 200];
const REFUSED = Array(8).fill(401);

async function post(path: string): Promise<Response> {
  return send(processes[0] as WebProcess, session, ["POST", path]);
}
const keyId = async (key: string) => (await api.call("GET", "/v1/me", key)).body.apiKey.id;
const deactivate = () => api.sql`UPDATE accounts SET status = 'deactivated' WHERE id = ${caller.accountId}`;
const ask = (method: string, path: string) => send(processes[0] as WebProcess, session, [method, path]);

describe("at the next request to each of two web processes that had accepted it,", () => {
  it.each<[string, () => Credential | Promise<Credential>, () => PromiseLike<unknown>]>([
    ["a revoked key", () => caller.live, async () => post(`/v1/api-keys/${await keyId(caller.live)}/revoke`)],
    ["a rotated-out key", () => caller.test, async () => post(`/v1/api-keys/${await keyId(caller.test)}/rotate`)],
    ["the key of a deactivated account", () => caller.live, deactivate],
    ["the session of a deactivated account", () => session, deactivate],
    ["the key of a deleted account", () => caller.test, () => ask("DELETE", "/v1/me")],
    ["a session that another one ended", () => api.session(caller.accountId), () => ask("DELETE", "/v1/me/sessions")],
    ["a session that expired", () => session, () => api.sql`UPDATE sessions SET expires_at = now()`],
  ])("%s is refused on every endpoint", async (_, make, end) => {
    const credential = await make();
    expect(await statuses(credential)).toEqual(ALLOWED);
    await end();
    expect(await statuses(credential)).toEqual(REFUSED);
  });

  it("a key that both accept while it is revoked creates nothing once the revocation was answered", async () => {
    const id = await keyId(caller.live);
    let isRevoked = false;
    const late: number[] = [];
    const hammer = async (web: WebProcess) => {
      for (let after = 0; after < 5; ) {
        const wasRevoked = isRevoked;
        const { status } = await send(web, caller.live, first as (typeof CALLS)[number]);
        if (!wasRevoked) continue;
        late.push(status);
        after++;
      }
    };
    const hammers = [...processes, ...processes].map(hammer);
    expect((await post(`/v1/api-keys/${id}/revoke`)).status).toBe(204);
    isRevoked = true;
    await Promise.all(hammers);
    expect(late).toEqual(Array(20).fill(401));
  });
});
