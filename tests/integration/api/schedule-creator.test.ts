import { afterAll, beforeAll, expect, it } from "vitest";
import { decodeId } from "#domain/ids.ts";
import type { ScheduleCreator } from "#domain/schedule-creator.ts";
import { readPageCtx } from "#server/page-ctx.ts";
import { readScheduleInFull } from "#server/schedules/read-in-full.ts";
import { type Api, FUTURE, startApi, TARGET, type TestCaller, type TestSession } from "./api.ts";

let api: Api;
let caller: TestCaller;
let session: TestSession;
let key: { id: string; key: string; last4: string };

beforeAll(async () => {
  api = await startApi();
  caller = await api.account();
  session = await api.session(caller.accountId);
  key = (await api.call("POST", "/v1/api-keys", session, { name: "checkout", env: "live" })).body;
});
afterAll(() => api.stop());

const SCHEDULE = { targetUrl: TARGET, fireAt: FUTURE };
const named = (isRevoked: boolean) => ({
  kind: "key",
  name: "checkout",
  prefix: "sw_live_",
  last4: key.last4,
  isRevoked,
});

/** The creator that the page of a schedule shows. */
async function creatorOf(id: string): Promise<ScheduleCreator | null> {
  const ctx = await readPageCtx(new Headers({ cookie: session.cookie }));
  if (ctx === null) throw new Error("the session does not count");
  return (await readScheduleInFull(ctx, id, new Date())).creator;
}

it("the page of a schedule names the key that created it, alone, in a batch or as a copy", async () => {
  // The second create finds the key in the cache of this process.
  const first = await api.create(key.key);
  const second = await api.create(key.key);
  const { accepted } = (await api.call("POST", "/v1/schedules/bulk", key.key, { schedules: [SCHEDULE] })).body;
  const copy = (await api.call("POST", `/v1/schedules/${first}/replay`, key.key)).body.id;
  for (const id of [first, second, accepted[0].id, copy]) expect(await creatorOf(id)).toEqual(named(false));
});

it("the page of a schedule that a session created names the dashboard", async () => {
  const { id } = (await api.call("POST", "/v1/schedules", session, SCHEDULE)).body;
  expect(await creatorOf(id)).toEqual({ kind: "session" });
});

it("the key is named after it was revoked too, and by its id once it is deleted; an old schedule names nobody", async () => {
  const id = await api.create(key.key);
  await api.call("POST", `/v1/api-keys/${key.id}/revoke`, session);
  expect(await creatorOf(id)).toEqual(named(true));
  await api.sql`DELETE FROM api_keys WHERE id = ${decodeId("key", key.id)}`;
  expect(await creatorOf(id)).toEqual({ kind: "deletedKey", id: key.id });
  await api.sql`UPDATE schedule_requests SET created_by = NULL WHERE schedule_id = ${decodeId("sch", id)}`;
  expect(await creatorOf(id)).toBeNull();
});
