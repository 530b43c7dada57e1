// Final: its verdict is about what was sent after a deletion.
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { type Api, startApi } from "../api/api.ts";

/** Schedules due in close succession. 50 more are due over ten seconds, so that some are left after the deletion. */
const CLOSE = 300;
const N = CLOSE + 50;
/** A deletion that is answered sooner has waited for every attempt in progress: it waits for two seconds at most. */
const WAITED_WITHIN_MS = 1_950;

let receiver: Receiver;
let api: Api;
let harness: DispatchHarness;

beforeAll(async () => {
  receiver = await startReceiver({ tls: false });
  const settings = { DELIVERY_ALLOW: receiver.origin };
  api = await startApi(settings);
  harness = await createDispatchHarness(settings, { ...api.database, drop: async () => {} });
  await harness.dispatcher();
});
afterAll(async () => {
  await harness.close();
  await api.stop();
  await receiver.close();
});

it("no request leaves after the deletion of its account was answered, however many schedules are due", async () => {
  let waited = 0;
  for (let round = 0; round < 3; round++) {
    receiver.requests.length = 0;
    const account = await harness.account();
    const other = await harness.account();
    const session = await api.session(account.id);
    const startMs = Date.now() + 1_000;
    await Promise.all(
      Array.from({ length: N }, (_, n) =>
        harness.schedule(
          account,
          `${receiver.origin}/deleted`,
          new Date(startMs + n * 5 + Math.max(0, n - CLOSE) * 200),
        ),
      ),
    );
    const arrived = () => receiver.requests.filter(({ path }) => path === "/deleted");
    await waitFor("deliveries are under way", () => arrived().length > 20);

    const sinceMs = performance.now();
    expect(await api.call("DELETE", "/v1/me", session)).toMatchObject({ status: 204 });
    const atAnswer = arrived().length;
    if (performance.now() - sinceMs >= WAITED_WITHIN_MS) continue;
    waited++;
    expect(atAnswer).toBeLessThan(N);
    const last = await harness.schedule(other, `${receiver.origin}/other`, new Date(Date.now() + 1_500));
    await waitFor("a later schedule of another account is delivered", async () => {
      return (await harness.read(last)).status === "succeeded";
    });
    expect(arrived()).toHaveLength(atAnswer);
    const [counted] = await harness.sql`
      SELECT count(*) FILTER (WHERE status = 'succeeded')::int AS sent, count(*) FILTER (WHERE status = 'firing')::int AS firing
      FROM schedules WHERE account_id = ${account.id}`;
    expect(counted).toEqual({ sent: atAnswer, firing: 0 });
  }
  expect(waited).toBeGreaterThan(0);
});
