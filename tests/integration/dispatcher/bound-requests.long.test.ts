// Guards: dispatcher/sending/**, domain/sealed-request.ts, domain/cipher.ts
// Final: its verdict is about what was sent.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { NOTIFY_HORIZON_MS } from "#domain/timing.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { waitFor } from "../../helpers/wait-for.ts";

let receiver: Receiver;
let other: Receiver;
let harness: DispatchHarness;

beforeAll(async () => {
  [receiver, other] = await Promise.all([startReceiver({ tls: false }), startReceiver({ tls: false })]);
  harness = await createDispatchHarness({ DELIVERY_ALLOW: `${receiver.origin},${other.origin}` });
  await harness.dispatcher();
});
afterAll(async () => {
  await harness.close();
  await Promise.all([receiver.close(), other.close()]);
});
beforeEach(() => {
  receiver.requests.length = 0;
  other.requests.length = 0;
});

/**
 * No dispatcher is notified of a schedule that is due this much later, so it reads the schedule after the test's
 * change.
 */
const UNREAD_MS = NOTIFY_HORIZON_MS + 500;

/** A schedule with a payload, due in half a second by default, of an account without retries. */
async function schedule(dueInMs = 500) {
  const account = await harness.account({ settings: { retry_attempts: 0 } });
  const overrides = { payload: "secret", headers: [["X-Token", "t"]] as [string, string][] };
  return harness.schedule(account, `${receiver.origin}/hook`, new Date(Date.now() + dueInMs), overrides);
}

// Another account's signing secret would then sign it, and its owner could read it at a target of their own.
async function moveToAnotherAccount(id: string) {
  const thief = await harness.account({ settings: { retry_attempts: 0 } });
  await harness.sql`WITH r AS (UPDATE schedule_requests SET account_id = ${thief.id} WHERE schedule_id = ${id})
    UPDATE schedules SET account_id = ${thief.id}, shard = (SELECT shard FROM accounts WHERE id = ${thief.id})
    WHERE id = ${id}`;
  await wakeLaneOf(id);
}

async function moveToTest(id: string) {
  await harness.sql`WITH r AS (UPDATE schedule_requests SET env = 'test' WHERE schedule_id = ${id})
    UPDATE schedules SET env = 'test' WHERE id = ${id}`;
  await wakeLaneOf(id);
}

const wakeLaneOf = (id: string) => harness.sql`
  INSERT INTO lanes (account_id, env, shard, due_at)
  SELECT account_id, env, shard, next_attempt_at FROM schedules WHERE id = ${id}
  ON CONFLICT (account_id, env) DO UPDATE SET due_at = excluded.due_at`;

describe("a payload is never sent after somebody who can write to the database has changed", () => {
  it.each<[string, (id: string) => Promise<unknown>, string, number?]>([
    [
      "target and origin",
      (
        id,
      ) => harness.sql`WITH r AS (UPDATE schedule_requests SET target_url = ${`${other.origin}/hook`} WHERE schedule_id = ${id})
        UPDATE schedules SET origin = ${other.origin} WHERE id = ${id}`,
      "the stored request cannot be decrypted",
      UNREAD_MS,
    ],
    [
      "the path",
      (id) =>
        harness.sql`UPDATE schedule_requests SET target_url = ${`${receiver.origin}/x`} WHERE schedule_id = ${id}`,
      "the stored request cannot be decrypted",
    ],
    [
      "the method",
      (id) => harness.sql`UPDATE schedule_requests SET method = 'PUT' WHERE schedule_id = ${id}`,
      "the stored request cannot be decrypted",
    ],
    [
      "the origin that is connected to",
      (id) => harness.sql`UPDATE schedules SET origin = ${other.origin} WHERE id = ${id}`,
      "the stored request cannot be read",
      UNREAD_MS,
    ],
    ["the account", (id) => moveToAnotherAccount(id), "the stored request cannot be decrypted", UNREAD_MS],
    ["the environment", (id) => moveToTest(id), "the stored request cannot be decrypted", UNREAD_MS],
  ])("%s", async (_, change, text, dueInMs) => {
    const id = await schedule(dueInMs);
    await change(id);
    await waitFor("it is dead", async () => ["dead", "succeeded"].includes((await harness.read(id)).status));
    expect([...receiver.requests, ...other.requests].map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    expect(await harness.attempts(id)).toMatchObject([{ outcome: "unreachable", error_text: text }]);
  });
});
