// Final: its verdict is about when requests leave.

import { afterAll, beforeAll, expect, it } from "vitest";
import { encodeId } from "#domain/ids.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { expectOnTime } from "../../helpers/on-time.ts";
import { inMs } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";

let receiver: Receiver;
/** Gets requests with early fire alone: the round trip to it is not known before the first of them. */
let unmeasured: Receiver;
let harness: DispatchHarness;

beforeAll(async () => {
  receiver = await startReceiver({ tls: false });
  unmeasured = await startReceiver({ tls: false });
  harness = await createDispatchHarness({ DELIVERY_ALLOW: `${receiver.origin},${unmeasured.origin}` });
  await harness.dispatcher();
});
afterAll(async () => {
  await harness.close();
  await receiver.close();
  await unmeasured.close();
});

const succeeded = (id: string) =>
  waitFor(`${id} succeeds`, async () => (await harness.read(id)).status === "succeeded" && harness.read(id));

it.concurrent("no request leaves before its instant", async () => {
  const account = await harness.account();
  const due = new Map<string, number>();
  for (let n = 0; n < 200; n++) {
    const fireAt = inMs(500 + Math.random() * 1_500);
    due.set(encodeId("sch", await harness.schedule(account, `${receiver.origin}/punctual`, fireAt)), fireAt.getTime());
  }
  const arrived = () => receiver.requests.filter(({ path }) => path === "/punctual");
  await waitFor("all arrive", () => arrived().length === 200);
  for (const { headers, arrivedAtMs } of arrived()) {
    expect(arrivedAtMs).toBeGreaterThanOrEqual(due.get(String(headers["webhook-id"])) as number);
  }
  await waitFor("all recorded", async () => {
    const [row] =
      await harness.sql`SELECT count(*)::int AS n FROM schedules WHERE account_id = ${account.id} AND offset_ms >= 0`;
    return row?.n === 200;
  });
});

it.concurrent("a request with early fire leaves ahead of its instant, by at most 500 ms", async () => {
  const account = await harness.account();
  const ids: string[] = [];
  // The latest is first: a connection is opened two seconds before an instant, and the lead is chosen before that.
  for (let n = 0; n < 9; n++) {
    ids.push(await harness.schedule(account, `${unmeasured.origin}/`, inMs(3_800 - 400 * n), { early: true }));
  }
  const offsets: number[] = [];
  for (const id of ids) offsets.push(Number((await succeeded(id)).offset_ms));
  expect(Math.min(...offsets)).toBeLessThan(0);
  expect(Math.min(...offsets)).toBeGreaterThanOrEqual(-500);
});

it.concurrent("a schedule that is due in a moment is found by a notification and not by polling", async () => {
  const account = await harness.account();
  for (let n = 0; n < 5; n++) {
    const id = await harness.schedule(account, `${receiver.origin}/`, inMs(150));
    const row = await succeeded(id);
    // Without a notification the dispatcher queries the database only once in five seconds.
    expectOnTime(Number(row.offset_ms), 2_000);
  }
});
