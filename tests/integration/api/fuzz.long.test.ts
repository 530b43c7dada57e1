// Guards: server/**, app/v1/**
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { processEnv } from "#config.ts";
import { ENDPOINTS } from "#contract/endpoints.ts";
import { patient } from "#tests/helpers/patience.ts";
import { type Answer, type Api, type Method, startApi, TARGET } from "./api.ts";
import { type ArbitraryCall, arbitraryCall, CANARY, hostileText } from "./arbitrary-calls.ts";

/** Calls per endpoint. For a long run: `FUZZ_RUNS=2000 npx vitest run tests/integration/api/fuzz.long.test.ts`. */
const RUNS = Number(processEnv().FUZZ_RUNS || 100);

const TEST_MS = 20 * RUNS + 60_000;

const statuses = new Map<number, number>();
let api: Api;

beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => {
  await api.stop();
  const count = [...statuses.values()].reduce((sum, calls) => sum + calls, 0);
  const by = [...statuses].sort(([a], [b]) => a - b).map(([status, calls]) => `${status}: ${calls}`);
  console.log(`fuzz: ${count} calls of ${ENDPOINTS.length} endpoints (${by.join(", ")})`);
});

type Caller = { credentials: Record<string, string | { cookie: string }>; ids: string[] };

/** An account with at least one of everything that has an id. */
async function createCaller(): Promise<Caller> {
  const account = await api.account();
  const session = await api.session(account.accountId);
  const key = await api.call("POST", "/v1/api-keys", session, { name: "k", env: "live" });
  const sent = await api.create(account.live, { payload: "hello" });
  await api.sql`
    UPDATE schedules SET status = 'succeeded', next_attempt_at = NULL, ended_at = now()
    WHERE account_id = ${account.accountId}`;
  const ids = [key.body.id, sent, await api.create(account.live), await api.create(account.test)];
  const operation = await api.call("POST", "/v1/operations", account.live, { action: "cancel", all: true });
  ids.push(operation.body.id, "daily");
  const recurrence = { cron: "@daily", targetUrl: TARGET, payload: CANARY };
  for (const key of [account.live, account.test]) await api.call("PUT", "/v1/recurrences/daily", key, recurrence);
  return { credentials: { live: account.live, test: account.test, session }, ids };
}

/** What every answer must fulfil, whatever the request was. `call` has compared it with the document already. */
function expectGoodAnswer({ status, headers, text }: Answer, sent: Partial<ArbitraryCall> = {}) {
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  expect(status).not.toBe(500);
  expect(headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
  if (status < 400) return;
  expect(text, "an error repeats nothing of what was sent").not.toContain(CANARY);
  expect(sent.body === undefined || text.length < 20_000).toBe(true);
}

describe("no call gets an answer that is not in the document, or an error that repeats the call:", () => {
  it.each(ENDPOINTS)(
    "$method $path",
    async ({ method, path }) => {
      let caller = await createCaller();
      const kinds = [...Object.keys(caller.credentials), "live", "none"];
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...kinds), arbitraryCall(path, method, caller.ids), async (kind, sent) => {
          const target = `${path.replace(/\{(id|key)\}/, encodeURIComponent(sent.id.toWellFormed()))}?${sent.query}`;
          const body = method === "GET" ? undefined : sent.body;
          const answer = await api.call(method, target, caller.credentials[kind], body, sent.headers);
          expectGoodAnswer(answer, sent);
          // The caller has ended its own session, revoked its key or deleted its account.
          if (answer.status === 401 && kind !== "none") caller = { ...(await createCaller()), ids: caller.ids };
        }),
        { numRuns: RUNS },
      );
    },
    patient(TEST_MS),
  );

  it(
    "any method on any path",
    async () => {
      const segment = fc.oneof(fc.constantFrom("v1", "schedules", "bulk", "me", "usage", "nope"), hostileText);
      const methods = fc.constantFrom<Method>("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");
      const caller = await createCaller();
      await fc.assert(
        fc.asyncProperty(methods, fc.array(segment, { maxLength: 4 }), async (method, segments) => {
          const path = ["", "v1", ...segments.map((text) => encodeURIComponent(text.toWellFormed()))].join("/");
          expectGoodAnswer(await api.call(method, path, caller.credentials.live));
        }),
        { numRuns: RUNS * 3 },
      );
    },
    patient(TEST_MS),
  );
});
