import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { seal } from "#domain/cipher.ts";
import { packRequest } from "#domain/sealed-request.ts";
import { NOTIFY_HORIZON_MS } from "#domain/timing.ts";
import { createDispatchBench, type DispatchBench } from "../../helpers/dispatcher.ts";
import { type Receiver, startReceiver } from "../../helpers/receiver.ts";
import { waitFor } from "../../helpers/wait-for.ts";

let receiver: Receiver;
let other: Receiver;
let bench: DispatchBench;

beforeAll(async () => {
  [receiver, other] = await Promise.all([startReceiver({ tls: false }), startReceiver({ tls: false })]);
  bench = await createDispatchBench({ DELIVERY_ALLOW: `${receiver.origin},${other.origin}` });
  await bench.dispatcher();
});
afterAll(async () => {
  await bench.close();
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
  const account = await bench.account({ settings: { retry_attempts: 0 } });
  const overrides = { payload: "secret", headers: [["X-Token", "t"]] as [string, string][] };
  return bench.schedule(account, `${receiver.origin}/hook`, new Date(Date.now() + dueInMs), overrides);
}

describe("a payload is never sent after somebody who can write to the database has changed", () => {
  it.each<[string, (id: string) => Promise<unknown>, string, number?]>([
    [
      "target and origin",
      (
        id,
      ) => bench.sql`WITH r AS (UPDATE schedule_requests SET target_url = ${`${other.origin}/hook`} WHERE schedule_id = ${id})
        UPDATE schedules SET origin = ${other.origin} WHERE id = ${id}`,
      "the stored request cannot be decrypted",
      UNREAD_MS,
    ],
    [
      "the path",
      (id) => bench.sql`UPDATE schedule_requests SET target_url = ${`${receiver.origin}/x`} WHERE schedule_id = ${id}`,
      "the stored request cannot be decrypted",
    ],
    [
      "the method",
      (id) => bench.sql`UPDATE schedule_requests SET method = 'PUT' WHERE schedule_id = ${id}`,
      "the stored request cannot be decrypted",
    ],
    [
      "the origin that is connected to",
      (id) => bench.sql`UPDATE schedules SET origin = ${other.origin} WHERE id = ${id}`,
      "the stored request cannot be read",
      UNREAD_MS,
    ],
  ])("%s", async (_, change, text, dueInMs) => {
    const id = await schedule(dueInMs);
    await change(id);
    await waitFor("it is dead", async () => ["dead", "succeeded"].includes((await bench.read(id)).status));
    expect([...receiver.requests, ...other.requests].map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    expect(await bench.attempts(id)).toMatchObject([{ outcome: "unreachable", error_text: text }]);
  });
});

it("a request that an earlier version stored, bound to its schedule alone, is sent unchanged", async () => {
  const id = await schedule();
  const packed = packRequest({ headers: [["X-Token", "t"]], payload: "stored before" }) as Buffer;
  const sealed = seal(bench.config.keyRing, packed, `schedule:${id}`);
  await bench.sql`UPDATE schedule_requests SET sealed = ${sealed} WHERE schedule_id = ${id}`;
  await waitFor("it is delivered", async () => (await bench.read(id)).status === "succeeded");
  expect(receiver.requests).toMatchObject([{ path: "/hook", headers: { "x-token": "t" } }]);
  expect(receiver.requests[0]?.body.toString()).toBe("stored before");
});
