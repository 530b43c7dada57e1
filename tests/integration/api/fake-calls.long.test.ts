// Guards: sdk/src/**, contract/**, server/schedules/**, server/operations/**, server/lists/**, server/logs/**, server/overview/**
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { processEnv } from "#config.ts";
import { ENDPOINTS } from "#contract/endpoints.ts";
import { decodeId } from "#domain/ids.ts";
import { recordTestAttempt } from "#tests/helpers/attempts.ts";
import { type FakeStopwatch, fakeStopwatch } from "../../../sdk/src/testing.ts";
import { patient } from "../../helpers/patience.ts";
import { untilHourLasts } from "../../helpers/until-hour-lasts.ts";
import { type Answer, type Api, FUTURE, type Method, startApi, TARGET } from "./api.ts";
import { arbitraryCall } from "./arbitrary-calls.ts";
import { comparable } from "./compare-answers.ts";
import { sendToFake } from "./fake-fixture.ts";

/** Calls per endpoint. For a long run: `FUZZ_RUNS=2000 npx vitest run tests/integration/api/fake-calls.long.test.ts`. */
const RUNS = Number(processEnv().FUZZ_RUNS || 100);
/** What a test may take. */
const TEST_MS = 20 * RUNS + 60_000;

let api: Api;

beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => {
  await api.stop();
});
beforeEach(async () => {
  // The clock of the fake stands while that of the service goes on: both have the same steps only within an hour.
  await untilHourLasts(TEST_MS);
}, patient(TEST_MS));

/** The same account on both sides: a schedule that waits, one that was delivered, one that was cancelled, an operation. */
async function createPair() {
  const { live: key } = await api.account();
  const fake = fakeStopwatch({ env: "live", now: new Date() });
  const ids = new Map<string, string>();
  const both = async (method: Method, path: string, body?: object, headers: Record<string, string> = {}) => {
    const real = await api.call(method, path, key, body, headers);
    return [real, await sendTo(fake, method, withFakeId(path, ids), body && JSON.stringify(body), headers)] as const;
  };
  for (const body of [{ payload: "delivered" }, { payload: "cancelled" }, { headers: { "X-A": "1" } }]) {
    const [real, faked] = await both("POST", "/v1/schedules", { targetUrl: TARGET, fireAt: FUTURE, ...body });
    ids.set(real.body.id, faked.body.id);
  }
  const [delivered = "", cancelled = ""] = ids.keys();
  const [fired] = await both("POST", `/v1/schedules/${delivered}/fire`);
  const attemptedAt = new Date(Date.parse(fired.body.fire_at) + 1);
  await recordTestAttempt(api.sql, decodeId("sch", delivered) ?? "", { attemptedAt });
  await fake.advance();
  await both("DELETE", `/v1/schedules/${cancelled}`);
  const [real, faked] = await both("POST", "/v1/operations", { action: "cancel", filter: { status: ["dead"] } });
  ids.set(real.body.id, faked.body.id);
  return { key, fake, ids };
}

/** A path with the ids of the fake in place of those of the service. */
function withFakeId(path: string, ids: ReadonlyMap<string, string>): string {
  return [...ids].reduce((text, [real, faked]) => text.replaceAll(real, faked), path);
}

function sendTo(fake: FakeStopwatch, method: string, path: string, body: string | undefined, headers: object) {
  const credential = { authorization: `Bearer ${fake.apiKey}` };
  return sendToFake(fake, method, path, { headers: { ...credential, ...headers }, body });
}

/** Operations run in dispatchers, of which there is none: they are stopped on both sides before they do anything. */
async function stopOperation(answer: Answer, stop: (path: string) => Promise<Answer>): Promise<void> {
  if (answer.status === 202 && answer.body.status === "running") await stop(`/v1/operations/${answer.body.id}/stop`);
}

const CALLED = ENDPOINTS.filter(({ path, auth }) => path.startsWith("/v1/") && auth !== "none");

describe("the SDK's fake answers any call with an API key as the service does:", () => {
  it.each(CALLED)(
    "$method $path",
    async ({ method, path }) => {
      const { key, fake, ids } = await createPair();
      await fc.assert(
        fc.asyncProperty(arbitraryCall(path, method, [...ids.keys()]), async (sent) => {
          const target = `${path.replace(/\{(id|key)\}/, encodeURIComponent(sent.id.toWellFormed()))}?${sent.query}`;
          const body = method === "GET" ? undefined : sent.body;
          // As every HTTP client sends it.
          const length: Record<string, string> =
            body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
          const real = await api.call(method, target, key, body, { ...sent.headers, ...length });
          const faked = await sendTo(fake, method, withFakeId(target, ids), body, sent.headers);
          expect(comparable(faked), real.text).toEqual(comparable(real));
          await stopOperation(real, (at) => api.call("POST", at, key));
          await stopOperation(faked, (at) => sendTo(fake, "POST", at, undefined, {}));
        }),
        { numRuns: RUNS },
      );
    },
    patient(TEST_MS),
  );
});
