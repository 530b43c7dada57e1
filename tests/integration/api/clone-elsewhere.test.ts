import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SignInTooOld } from "#domain/errors.ts";
import { encodeId } from "#domain/ids.ts";
import { readPageCtx } from "#server/page-ctx.ts";
import { cloneElsewhere } from "#server/schedules/clone-elsewhere.ts";
import { storedRequestOrThrow } from "#server/schedules/repeat.ts";
import { type Api, startApi, type TestCaller, type TestSession } from "./api.ts";
import { eraseContent, plaintextOf } from "./stored-content.ts";

let api: Api;
let caller: TestCaller;
let session: TestSession;
let id: string;

beforeAll(async () => {
  api = await startApi({ PLANS: '{"free":{"monthlyQuota":20}}' });
});
afterAll(() => api.stop());
beforeEach(async () => {
  caller = await api.account();
  session = await api.session(caller.accountId);
  const headers = { Authorization: "Bearer secret", "Content-Type": "application/json" };
  id = await api.create(caller.live, {
    targetUrl: "https://one.example.com/in",
    payload: "sealed",
    method: "PUT",
    headers,
  });
});

type Input = Parameters<typeof cloneElsewhere>[2];

async function clone(targetUrl: string, more: Omit<Input, "targetUrl"> = {}) {
  const ctx = await readPageCtx(new Headers({ cookie: session.cookie }), { env: "live", writes: true });
  if (ctx === null) throw new Error("the session does not count");
  const stored = await storedRequestOrThrow(ctx, id);
  const created = await cloneElsewhere(ctx, stored, { ...more, targetUrl }, async (request) => request);
  return encodeId("sch", created.id);
}

const get = async (of: string) => (await api.call("GET", `/v1/schedules/${of}`, caller.live)).body;
const events = async () =>
  (await api.call("GET", "/v1/me/events", session)).body.items.filter(
    (event: { kind: string }) => event.kind === "request_redirected",
  );
const count = async () => (await api.call("GET", "/v1/schedules", caller.live)).body.total;

describe("a clone to another URL, in the dashboard", () => {
  it("takes the payload along, bound to the new target, and no stored header to another host, port or scheme", async () => {
    for (const url of [
      "https://two.example.com/in",
      "https://one.example.com:80/in",
      "https://one.example.com.evil.org/",
    ]) {
      const copy = await clone(url);
      expect(await get(copy)).toMatchObject({ target_url: url, method: "PUT", replay_of: id, payload_size_bytes: 6 });
      // `plaintextOf` opens it by its own id, method and target alone.
      expect(await plaintextOf(api, copy)).toEqual({ headers: [], payload: "sealed" });
    }
  });

  it("keeps the stored headers at the same origin, and takes those that were typed anywhere", async () => {
    const near = await clone("https://ONE.example.com:443/other?x=1");
    expect(await plaintextOf(api, near)).toMatchObject({
      headers: [
        ["Authorization", "Bearer secret"],
        ["Content-Type", "application/json"],
      ],
    });
    const far = await clone("https://two.example.com/", { headers: [["X-A", "1"]], payload: "typed" });
    expect(await plaintextOf(api, far)).toEqual({ headers: [["X-A", "1"]], payload: "typed" });
  });

  it("leaves one row in the security log, without the payload or the URL, also when the form is sent twice", async () => {
    const copy = await clone("https://two.example.com/", { idempotencyKey: "k" });
    expect(await clone("https://two.example.com/", { idempotencyKey: "k" })).toBe(copy);
    expect(await events()).toMatchObject([{ scheduleId: copy, env: "live", by: { kind: "session" }, count: 1 }]);
    const [row] = await api.sql`SELECT details::text AS text FROM security_events WHERE kind = 'request_redirected'
      AND account_id = ${caller.accountId}`;
    expect(row?.text).not.toMatch(/sealed|two\.example/);
  });

  it("is refused, and not logged, when the sign-in is older than a day", async () => {
    await api.sql`UPDATE sessions SET created_at = now() - interval '25 hours' WHERE account_id = ${caller.accountId}`;
    await expect(clone("https://two.example.com/")).rejects.toThrow(SignInTooOld);
    expect([await count(), await events()]).toEqual([1, []]);
  });

  it.each(["http://two.example.com/", "https://10.0.0.1/", "https://localhost/", "x"])(
    "has its target judged as that of a new schedule, and stores nothing: %s",
    async (url) => {
      await expect(clone(url)).rejects.toMatchObject({ code: "VALIDATION" });
      expect([await count(), await events()]).toEqual([1, []]);
    },
  );

  it("is refused, and not logged, beyond the quota, and for erased content", async () => {
    await eraseContent(api, id);
    await expect(clone("https://two.example.com/")).rejects.toMatchObject({ code: "CONFLICT" });
    await api.sql`UPDATE usage SET scheduled = 22 WHERE account_id = ${caller.accountId}`;
    const typed = { headers: [], payload: "typed" } satisfies Omit<Input, "targetUrl">;
    await expect(clone("https://two.example.com/", typed)).rejects.toMatchObject({ code: "QUOTA_EXCEEDED" });
    expect(await events()).toEqual([]);
  });
});
