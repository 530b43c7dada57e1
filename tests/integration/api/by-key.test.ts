import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Api, FUTURE, startApi, TARGET, type TestCaller } from "./api.ts";
import { createdBy, eraseContent, plaintextOf, uuidOf } from "./stored-content.ts";

let api: Api;
let caller: TestCaller;

beforeAll(async () => {
  api = await startApi({ PLANS: '{"free":{"monthlyQuota":30}}' });
});
afterAll(() => api.stop());
beforeEach(async () => {
  caller = await api.account();
});

const OTHER = "https://example.com/other";
const LATER = "2032-01-01T00:00:00.000Z";
const PAST = "2020-01-01T00:00:00Z";
const KEY = "cart-1234";

const pathOf = (key: string) => `/v1/schedules/by-key/${encodeURIComponent(key)}`;
const put = (body: object = {}, key = KEY, credential = caller.live) =>
  api.call("PUT", pathOf(key), credential, { targetUrl: TARGET, fireAt: FUTURE, ...body });
const byKey = (method: "GET" | "DELETE", key = KEY, credential = caller.live) =>
  api.call(method, pathOf(key), credential);
const get = async (id: string) => (await api.call("GET", `/v1/schedules/${id}`, caller.live)).body;
const used = () => createdBy(api, caller);

/** Puts a schedule into a status as the dispatcher would. */
async function become(id: string, status: string) {
  const isTerminal = ["succeeded", "dead", "cancelled"].includes(status);
  await api.sql`UPDATE schedules SET status = ${status}, version = version + 1, attempts = 1,
      claim_deadline = CASE WHEN ${status === "firing"} THEN now() + interval '35 s' END,
      next_attempt_at = CASE WHEN ${isTerminal} THEN NULL ELSE now() + interval '1 hour' END,
      ended_at = CASE WHEN ${isTerminal} THEN now() END
    WHERE id = ${uuidOf(id)}`;
}

/** Everything that is stored of a schedule. */
const rowsOf = (id: string) => api.sql`
  SELECT s.*, r.* FROM schedules s JOIN schedule_requests r ON r.schedule_id = s.id WHERE s.id = ${uuidOf(id)}`;

describe("PUT /v1/schedules/by-key/:key", () => {
  it("creates a schedule where no schedule has the key, and counts it", async () => {
    const answer = await put();
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^sch_/),
      fire_at: FUTURE,
      status: "scheduled",
      over_limit: false,
      replaces: null,
    });
    expect(await used()).toBe(1);
  });

  it("replaces request, options and time of a scheduled one, by their defaults where they are left out, and counts nothing", async () => {
    const first = await put({ payload: "one", headers: { "x-a": "1" }, method: "PUT", earlyFire: true });
    const answer = await put({ targetUrl: OTHER, fireAt: LATER, payload: "two" });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...first.body, fire_at: LATER });
    expect(await get(first.body.id)).toMatchObject({
      target_url: OTHER,
      fire_at: LATER,
      next_attempt_at: LATER,
      method: "POST",
      early_fire: false,
      payload_size_bytes: 3,
      attempts: 0,
      status: "scheduled",
    });
    expect(await plaintextOf(api, first.body.id)).toEqual({ headers: [], payload: "two" });
    const [row] = await rowsOf(first.body.id);
    expect(row).toMatchObject({ version: "2", origin: "https://example.com" });
    expect(await used()).toBe(1);
  });

  it.each(["succeeded", "dead", "cancelled"])(
    "gives the key of a %s one to a new schedule, and leaves the old one",
    async (status) => {
      const { body: old } = await put({ payload: "one" });
      await become(old.id, status);
      const [before] = await rowsOf(old.id);
      const answer = await put({ payload: "two" });
      expect(answer.status).toBe(201);
      expect(answer.body).toMatchObject({ replaces: old.id, status: "scheduled" });
      expect(answer.body.id).not.toBe(old.id);
      expect((await rowsOf(old.id))[0]).toEqual({ ...before, idempotency_key: null });
      expect((await byKey("GET")).body.id).toBe(answer.body.id);
      expect(await used()).toBe(2);
    },
  );

  it("ends the retries of a failed one, and gives its key to a new schedule", async () => {
    const { body: old } = await put();
    await become(old.id, "failed");
    const answer = await put();
    expect([answer.status, answer.body.replaces]).toEqual([201, old.id]);
    expect(await get(old.id)).toMatchObject({ status: "cancelled", next_attempt_at: null, attempts: 1 });
  });

  it("changes nothing while an attempt is in progress, and says when to try again", async () => {
    const { body: old } = await put();
    await become(old.id, "firing");
    const before = await rowsOf(old.id);
    const answer = await put({ payload: "two" });
    expect([answer.status, answer.body.error.code]).toEqual([409, "CONFLICT"]);
    expect(answer.body.error.message).toMatch(
      /^A schedule that is firing cannot be replaced\. An attempt is in progress/,
    );
    expect(["34", "35"]).toContain(answer.headers.get("retry-after"));
    expect(await rowsOf(old.id)).toEqual(before);
    expect(await used()).toBe(1);
  });

  it.each([
    ["a time that has passed", { fireAt: PAST }, "VALIDATION"],
    ["a target that is not allowed", { targetUrl: "https://127.0.0.1/" }, "VALIDATION"],
    [
      "a local time that is skipped",
      { fireAt: undefined, fireAtLocal: "2031-03-30T02:30", timezone: "Europe/Berlin", onClockChange: "refuse" },
      "VALIDATION",
    ],
    ["a payload that is too large", { payload: "x".repeat(2 ** 18 + 1) }, "PAYLOAD_TOO_LARGE"],
  ])("changes nothing for %s, whatever the status of the holder", async (_, body, code) => {
    for (const status of ["scheduled", "failed", "succeeded"]) {
      const key = `${KEY}-${status}`;
      const { body: old } = await put({ payload: "one" }, key);
      if (status !== "scheduled") await become(old.id, status);
      const before = await rowsOf(old.id);
      const answer = await put(body, key);
      expect(answer.body.error.code).toBe(code);
      expect(await rowsOf(old.id)).toEqual(before);
    }
    expect(await used()).toBe(3);
  });

  it("refuses a new schedule beyond the quota and its grace, keeps the holder as it was, and still changes a scheduled one", async () => {
    const { body: failed } = await put({}, "failed");
    await become(failed.id, "failed");
    const { body: waiting } = await put({}, "waiting");
    await api.sql`UPDATE usage SET scheduled = 33 WHERE account_id = ${caller.accountId}`;
    const before = await rowsOf(failed.id);
    const refused = await put({}, "failed");
    expect([refused.status, refused.body.error.code]).toEqual([402, "QUOTA_EXCEEDED"]);
    expect(await rowsOf(failed.id)).toEqual(before);
    const changed = await put({ fireAt: LATER }, "waiting");
    expect([changed.status, changed.body.id, changed.body.over_limit]).toEqual([200, waiting.id, true]);
  });

  it("puts a time off with fireIn, never beyond maxDelay after the creation", async () => {
    const debounce = { fireAt: undefined, fireIn: "30s", maxDelay: "10m" };
    const { body } = await put(debounce);
    const { created_at } = await get(body.id);
    expect(Date.parse(body.fire_at)).toBe(Date.parse(created_at) + 30_000);
    await api.sql`UPDATE schedules SET created_at = created_at - interval '9 min 50 s' WHERE id = ${uuidOf(body.id)}`;
    const later = await put(debounce);
    expect(Date.parse(later.body.fire_at)).toBe(Date.parse(created_at) + 10_000);
    await api.sql`UPDATE schedules SET created_at = created_at - interval '1 h' WHERE id = ${uuidOf(body.id)}`;
    const over = await put(debounce);
    const row = (await rowsOf(body.id))[0];
    expect(Math.abs(Date.parse(over.body.fire_at) - Date.now())).toBeLessThan(60_000);
    // It is due by this call, so no figure counts it as late.
    expect(row?.moved_to_now_at).toEqual(row?.fire_at);
    const first = await put({ ...debounce, fireIn: "1h" }, "first");
    expect(Date.parse(first.body.fire_at)).toBe(Date.parse((await get(first.body.id)).created_at) + 600_000);
  });

  it.each([
    [{ maxDelay: "10m" }, "maxDelay", "goes with fireIn"],
    [{ fireAt: undefined, fireIn: "30s", maxDelay: "0.5s" }, "maxDelay", "at least 1 second"],
    [{ idempotencyKey: "other" }, "idempotencyKey", ""],
    [{ fireAt: undefined }, "fireAt", "is required"],
  ])("refuses %j", async (body, path, message) => {
    const { status, body: answer } = await put(body);
    expect(status).toBe(400);
    expect(answer.error.details).toEqual([
      expect.objectContaining({ path, message: expect.stringContaining(message) }),
    ]);
    expect(await used()).toBe(null);
  });

  it("holds the promise of a create with the key: that finds the schedule which has it now", async () => {
    const { body: put1 } = await put({ payload: "one" });
    const create = (payload: string) =>
      api.call("POST", "/v1/schedules", caller.live, {
        targetUrl: TARGET,
        fireAt: FUTURE,
        payload,
        idempotencyKey: KEY,
      });
    expect((await create("one")).body).toMatchObject({ id: put1.id, replayed: true, mismatch: false });
    await put({ payload: "two" });
    expect((await create("one")).body).toMatchObject({ id: put1.id, replayed: true, mismatch: true });
    await become(put1.id, "succeeded");
    const { body: put2 } = await put({ payload: "three" });
    expect((await create("three")).body).toMatchObject({ id: put2.id, replayed: true, mismatch: false });
  });

  it("takes over what a replay made, which then repeats nothing", async () => {
    const source = await api.create(caller.live);
    const { body } = await api.call("POST", `/v1/schedules/${source}/replay`, caller.live, {
      fireAt: FUTURE,
      idempotencyKey: KEY,
    });
    expect((await get(body.id)).replay_of).toBe(source);
    await put();
    expect((await get(body.id)).replay_of).toBe(null);
  });

  it("gives the key of one whose content was erased to a new schedule", async () => {
    const { body: old } = await put({ payload: "one" });
    await become(old.id, "succeeded");
    await eraseContent(api, old.id);
    expect((await put()).body.replaces).toBe(old.id);
  });

  it.each(["a/b", "ä ö?#%", "%2F", "..a", "by-key", "attempts", "x".repeat(255), "\u{1f680}".repeat(255), "__proto__"])(
    "takes the key %s as a create does",
    async (key) => {
      const { body } = await put({}, key);
      const { body: same } = await api.call("POST", "/v1/schedules", caller.live, {
        targetUrl: TARGET,
        fireAt: FUTURE,
        idempotencyKey: key,
      });
      expect(same).toMatchObject({ id: body.id, replayed: true, mismatch: false });
      expect((await byKey("GET", key)).body.id).toBe(body.id);
    },
  );

  it.each(["x".repeat(256), "a\0b"])("refuses the key %j", async (key) => {
    const { status, body } = await put({}, key);
    expect([status, body.error.details[0].path]).toEqual([400, "key"]);
  });

  it("keeps keys of other accounts and environments apart", async () => {
    const other = await api.account();
    const mine = (await put()).body.id;
    const theirs = (await put({}, KEY, other.live)).body.id;
    const test = (await put({}, KEY, caller.test)).body.id;
    expect(new Set([mine, theirs, test]).size).toBe(3);
    expect((await byKey("DELETE", KEY, other.live)).body).toMatchObject({ id: theirs, status: "cancelled" });
    expect((await byKey("GET")).body).toMatchObject({ id: mine, status: "scheduled" });
  });

  it("leaves one holder of a key and one schedule to send, whoever else puts, creates and cancels at the same time", async () => {
    const calls = Array.from({ length: 40 }, (_, n) => {
      if (n % 10 === 9) return byKey("DELETE");
      if (n % 10 === 4)
        return api.call("POST", "/v1/schedules", caller.live, {
          targetUrl: TARGET,
          fireAt: FUTURE,
          idempotencyKey: KEY,
        });
      return put({ payload: `put ${n}` });
    });
    const answers = await Promise.all(calls);
    expect(answers.filter(({ status }) => ![200, 201, 404].includes(status))).toEqual([]);
    const held = await api.sql`SELECT s.id FROM schedule_requests r JOIN schedules s ON s.id = r.schedule_id
      WHERE r.account_id = ${caller.accountId} AND r.idempotency_key IS NOT NULL`;
    const open =
      await api.sql`SELECT id FROM schedules WHERE account_id = ${caller.accountId} AND status = 'scheduled'`;
    expect(held).toHaveLength(1);
    expect(open.length).toBeLessThanOrEqual(1);
    if (open[0]) expect(open[0].id).toBe(held[0]?.id);
    expect(await used()).toBe(answers.filter(({ status }) => status === 201).length);
  });
});

describe("GET and DELETE /v1/schedules/by-key/:key", () => {
  it("answer the schedule that has the key, and cancel it once", async () => {
    const { body } = await put();
    expect((await byKey("GET")).body).toEqual(await get(body.id));
    expect((await byKey("DELETE")).body).toMatchObject({ id: body.id, status: "cancelled" });
    expect((await byKey("DELETE")).body).toMatchObject({ id: body.id, status: "cancelled" });
    expect((await byKey("GET")).body).toMatchObject({ id: body.id, status: "cancelled" });
  });

  it("refuse a key that no schedule has, and cancel nothing that cannot be cancelled", async () => {
    for (const method of ["GET", "DELETE"] as const) {
      const { status, body } = await byKey(method);
      expect(status).toBe(404);
      expect(body.error).toMatchObject({ code: "NOT_FOUND", message: "There is no schedule with this key." });
    }
    const { body } = await put();
    await become(body.id, "succeeded");
    expect((await byKey("DELETE")).status).toBe(409);
  });
});
