import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findMembers } from "#db/queries/operations/members.ts";
import { stepRecurrences } from "#db/queries/recurrences/make.ts";
import { stepTenant } from "#db/queries/recurrences/steps.ts";
import { encodeId } from "#domain/ids.ts";
import { setUsage } from "../../helpers/usage.ts";
import { type Api, type Method, startApi, TARGET, type TestCaller } from "./api.ts";
import { createdBy, plaintextOf } from "./stored-content.ts";

let api: Api;
let caller: TestCaller;

beforeAll(async () => {
  api = await startApi({ PLANS: '{"free":{"recurrencesMax":10},"indie":{"recurrenceSpacingMsMin":900000}}' });
});
afterAll(() => api.stop());
beforeEach(async () => {
  caller = await api.account();
});

const KEY = "daily/é";
const OTHER = "https://example.com/other";
const MINUTELY = { cron: "* * * * *", targetUrl: TARGET };
const YEARLY = { cron: "0 9 1 1 *", targetUrl: TARGET };

const pathOf = (key = KEY, action = "") => `/v1/recurrences/${encodeURIComponent(key)}${action}`;
const put = (body: object = MINUTELY, { key = KEY, query = "" } = {}) =>
  api.call("PUT", `${pathOf(key)}${query}`, caller.live, body);
const ask = (method: Method, action = "", body?: object) => api.call(method, pathOf(KEY, action), caller.live, body);

type Occurrence = { id: string; status: string; occurrenceAt: Date; nextAttemptAt: Date | null; targetUrl: string };

/** The occurrences of all recurrences of the caller, the earliest instant first. */
const occurrences = () => api.sql<Occurrence[]>`
  SELECT s.id, s.status, s.next_attempt_at AS "nextAttemptAt", r.occurrence_at AS "occurrenceAt", r.target_url AS "targetUrl"
  FROM schedule_requests r JOIN schedules s ON s.id = r.schedule_id
  WHERE r.account_id = ${caller.accountId} AND r.recurrence_id IS NOT NULL ORDER BY r.occurrence_at, r.created_at`;

const open = async () => (await occurrences()).filter(({ status }) => status === "scheduled");

/** Puts an occurrence into a status as the dispatcher would. */
const become = (id: string, status: string) => api.sql`
  UPDATE schedules SET status = ${status}, version = version + 1, attempts = 1,
    claim_deadline = CASE WHEN ${status === "firing"} THEN now() + interval '35 s' END,
    next_attempt_at = CASE WHEN ${status !== "succeeded"} THEN now() + interval '1 hour' END,
    ended_at = CASE WHEN ${status === "succeeded"} THEN now() END
  WHERE id = ${id}`;

/** A dispatcher's step of the caller's live recurrences. */
const step = () =>
  stepTenant(
    api.sql as never,
    { accountId: caller.accountId, env: "live" },
    { countMax: 100, bytesMax: 512 * 1024 },
    (tx, due, account) => stepRecurrences(tx, { accountId: caller.accountId, env: "live" }, due, account, api.config),
  );

/** Moves the instants of the recurrence and of its occurrences into the past, as if time had passed. */
async function passMinutes(minutes: number) {
  const by = `${minutes} minutes`;
  await api.sql`
    UPDATE recurrences SET made_until = made_until - ${by}::interval, open_from = open_from - ${by}::interval, next_step_at = next_step_at - ${by}::interval,
      paused_until = paused_until - ${by}::interval
    WHERE account_id = ${caller.accountId}`;
  await api.sql`
    UPDATE schedule_requests SET occurrence_at = occurrence_at - ${by}::interval, idempotency_key = NULL
    WHERE account_id = ${caller.accountId}`;
  await api.sql`
    UPDATE schedules SET fire_at = fire_at - ${by}::interval, next_attempt_at = next_attempt_at - ${by}::interval
    WHERE account_id = ${caller.accountId}`;
}

const stored = async () => (await api.sql`SELECT * FROM recurrences WHERE account_id = ${caller.accountId}`)[0];

describe("PUT /v1/recurrences/:key", () => {
  it("creates a recurrence, and its first occurrences before it answers", async () => {
    const payload = '{"report":"daily"}';
    const answer = await put({
      ...MINUTELY,
      name: "Report",
      timezone: "europe/berlin",
      payload,
      headers: { "x-a": "1" },
    });
    expect(answer.status).toBe(201);
    const { next, created_at, updated_at, ...rest } = answer.body;
    expect(rest).toEqual({
      ...{ key: KEY, name: "Report", status: "active", cron: "* * * * *", rule: "every minute" },
      ...{ timezone: "Europe/Berlin", on_clock_change: "first", overlap: "allow", catch_up: "latest", spread_ms: 0 },
      ...{ ends_at: null, target_url: TARGET, method: "POST", early_fire: null, delivery: null },
      ...{ payload_size_bytes: 18, has_payload: true, monthly_estimate: 43_800, pause_note: null, paused_until: null },
      ...{ left_out: [], taken_back: 0, in_flight: 0 },
    });
    expect(updated_at).toBe(created_at);
    expect(next).toHaveLength(5);
    expect(next[0]).toMatchObject({ offset: expect.stringMatching(/^\+0[12]:00$/), clock_change: null });
    const made = await occurrences();
    expect(made.length).toBeGreaterThan(1);
    expect(made[0]?.occurrenceAt.toISOString()).toBe(next[0].fire_at);
    expect(await plaintextOf(api, encodeId("sch", made[0]?.id as string))).toEqual({
      headers: [
        ["x-a", "1"],
        ["X-Service-Recurrence", "daily%2F%C3%A9"],
      ],
      payload,
    });
    expect(await createdBy(api, caller)).toBe(made.length);
    expect(JSON.stringify(await stored())).not.toContain('daily"');
    const { taken_back, in_flight, ...got } = answer.body;
    const again = (await ask("GET")).body;
    expect({ ...again, next }).toEqual(got);
  });

  it("answers the same with dryRun, and stores nothing", async () => {
    const dry = await put(YEARLY, { query: "?dryRun=true" });
    expect(dry.status).toBe(201);
    expect((await ask("GET")).status).toBe(404);
    expect(await occurrences()).toHaveLength(0);
    expect(await createdBy(api, caller)).toBeFalsy();
    const real = await put(YEARLY, { query: "?dryRun=false" });
    const comparable = ({ created_at, updated_at, ...rest }: Record<string, string>) => rest;
    expect(comparable(dry.body)).toEqual(comparable(real.body));
    const change = { ...YEARLY, cron: "0 9 1 2 *" };
    expect((await put(change, { query: "?dryRun=true" })).body).toMatchObject({ cron: change.cron, taken_back: 1 });
    expect((await ask("GET")).body.cron).toBe(YEARLY.cron);
    expect(await open()).toHaveLength(1);
    expect((await put({ ...YEARLY, cron: "0 9 31 2 *" }, { query: "?dryRun=true" })).status).toBe(400);
  });

  it("makes the first occurrence at once, however much later its share of the spread has it fire", async () => {
    for (const key of ["a", "b", "c"]) {
      const { body } = await put({ ...MINUTELY, spreadMs: 3_600_000 }, { key });
      const made = await api.call("GET", `/v1/schedules?recurrence=${key}&sort=fire_at`, caller.live);
      expect(made.body.items[0]).toMatchObject({ status: "scheduled", fire_at: body.next[0].fire_at });
    }
  });

  it("changes nothing when it says what is stored already", async () => {
    const body = { ...MINUTELY, timezone: "Europe/Berlin", headers: { "x-a": "1", "x-b": "2" }, payload: "one" };
    await put(body);
    const [before, made] = [await stored(), await occurrences()];
    const again = await put({ ...body, timezone: "EUROPE/berlin", headers: { "X-B": "2 ", "x-a": "1" }, spreadMs: 0 });
    expect(again).toMatchObject({ status: 200, body: { taken_back: 0, in_flight: 0 } });
    expect(await stored()).toEqual(before);
    expect(await occurrences()).toEqual(made);
  });

  it.each([
    ["cron", "*/2 * * * *"],
    ["timezone", "Asia/Tokyo"],
    ["onClockChange", "skip"],
    ["overlap", "skip"],
    ["catchUp", "none"],
    ["spreadMs", 1_000],
    ["endsAt", "2031-01-01T00:00:00Z"],
    ["name", "other"],
    ["targetUrl", OTHER],
    ["method", "PUT"],
    ["payload", "two"],
    ["headers", { "x-a": "2" }],
    ["earlyFire", true],
    ["delivery", { timeoutMs: 5_000, expiresIn: "1h" }],
  ])("takes what is open back when %s is another, and makes it anew", async (field, value) => {
    await put();
    const made = await occurrences();
    const answer = await put({ ...MINUTELY, [field]: value });
    expect(answer).toMatchObject({ status: 200, body: { taken_back: made.length, in_flight: 0 } });
    const after = await occurrences();
    expect(after.filter(({ id }) => made.some((old) => old.id === id)).map(({ status }) => status)).toEqual(
      made.map(() => "cancelled"),
    );
    const anew = after.filter(({ status }) => status === "scheduled");
    expect(anew.length).toBeGreaterThan(0);
    expect(await createdBy(api, caller)).toBe(anew.length);
    expect(Number((await stored())?.version)).toBe(2);
  });

  it("ends retries of before without giving them back, and counts what is being sent", async () => {
    await put();
    await passMinutes(2);
    const [first, second, ...others] = await occurrences();
    await become(first?.id as string, "firing");
    await become(second?.id as string, "failed");
    const answer = await put({ ...MINUTELY, targetUrl: OTHER });
    expect(answer.body).toMatchObject({ taken_back: 1 + others.length, in_flight: 1 });
    const after = await occurrences();
    const statusOf = (one?: Occurrence) => after.find(({ id }) => id === one?.id)?.status;
    expect([statusOf(first), statusOf(second)]).toEqual(["firing", "cancelled"]);
    expect(await createdBy(api, caller)).toBe(2 + (await open()).length);
    expect(new Set((await open()).map(({ targetUrl }) => targetUrl))).toEqual(new Set([OTHER]));
    // Both had left.
    const again = (await open()).map(({ occurrenceAt }) => occurrenceAt.getTime());
    expect(again).not.toContain(first?.occurrenceAt.getTime());
    expect(again).not.toContain(second?.occurrenceAt.getTime());
  });

  it("sends an instant that has just passed with the new request, or says that it was missed", async () => {
    await put();
    await passMinutes(1);
    const [late] = await open();
    await put({ ...MINUTELY, targetUrl: OTHER });
    expect((await open())[0]).toMatchObject({ occurrenceAt: late?.occurrenceAt, targetUrl: OTHER });
    await passMinutes(1);
    const answer = await put({ ...MINUTELY, catchUp: "none" });
    expect(answer.body.left_out).toMatchObject([{ reason: "missed" }]);
    expect((await open())[0]?.occurrenceAt.getTime()).toBeGreaterThan(Date.now() - 60_000);
  });

  it("does not say that instants were missed which its owner had moved, or which were sent", async () => {
    await put();
    const [moved, ...others] = await occurrences();
    const path = `/v1/schedules/${encodeId("sch", moved?.id as string)}`;
    expect((await api.call("PATCH", path, caller.live, { fireIn: "2h" })).status).toBe(200);
    await passMinutes(5);
    for (const { id } of others) await become(id, "succeeded");
    const answer = await put({ ...MINUTELY, targetUrl: OTHER });
    expect(answer.body).toMatchObject({ taken_back: 1, left_out: [] });
    expect((await open())[0]?.occurrenceAt.getTime()).toBeGreaterThan(Date.now() - 1_000);
  });

  it("does not make an instant again that its owner has cancelled", async () => {
    await put(YEARLY);
    const [made] = await occurrences();
    await api.call("DELETE", `/v1/schedules/${encodeId("sch", made?.id as string)}`, caller.live);
    await put({ ...YEARLY, payload: "other" });
    expect((await open()).map(({ occurrenceAt }) => occurrenceAt)).not.toContainEqual(made?.occurrenceAt);
  });

  it("keeps one that is paused paused, and begins one again that has ended", async () => {
    await put(YEARLY);
    await ask("POST", "/pause", { note: "why" });
    const paused = await put({ ...YEARLY, payload: "other" });
    expect(paused.body).toMatchObject({ status: "paused", pause_note: "why", next: [], taken_back: 0 });
    expect(await open()).toHaveLength(0);
    await api.sql`UPDATE recurrences SET status = 'ended', next_step_at = NULL WHERE account_id = ${caller.accountId}`;
    expect((await put({ ...YEARLY, payload: "other" })).body).toMatchObject({ status: "ended" });
    expect((await put({ ...YEARLY, payload: "third" })).body.status).toBe("active");
    expect(await open()).toHaveLength(1);
  });

  it("is accepted over the quota: what fires in a later month waits for the quota of that month", async () => {
    await setUsage(api.sql, caller.accountId, api.config.plans.free.monthlyQuota * 2);
    const answer = await put(YEARLY);
    expect(answer).toMatchObject({ status: 201, body: { status: "active" } });
    expect(answer.body.left_out).toEqual([]);
    expect(await occurrences()).toHaveLength(0);
  });

  it("gives an environment no more recurrences than the plan has, however many are put at once", async () => {
    const answers = await Promise.all(Array.from({ length: 14 }, (_, n) => put(YEARLY, { key: `rule ${n}` })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(201), ...Array(4).fill(409)]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body.error.message).toMatch(/10 recurrences in live, as many as this plan has/);
    const known = answers.findIndex(({ status }) => status === 201);
    expect((await put({ ...YEARLY, payload: "other" }, { key: `rule ${known}` })).status).toBe(200);
    expect((await api.call("PUT", pathOf("test"), caller.test, YEARLY)).status).toBe(201);
  });

  it("puts one recurrence of a key, however many calls come at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => put({ ...MINUTELY, targetUrl: `${TARGET}/${n}` })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const { target_url } = (await ask("GET")).body;
    const made = await open();
    expect(new Set(made.map(({ targetUrl }) => targetUrl))).toEqual(new Set([target_url]));
    expect(await createdBy(api, caller)).toBe(made.length);
  });

  const BAD: [string, object, string, RegExp][] = [
    ["six fields", { cron: "0 0 9 * * 1" }, "cron", /no seconds.*position 1/],
    ["31 February", { cron: "0 9 31 2 *" }, "cron", /never fires.*31st of February at 09:00.*position 5/],
    ["a step in the wrong place", { cron: "5/15 * * * *" }, "cron", /minute: a step stands behind.*position 2/],
    ["a crontab line", { cron: "0 9 * * 1 /usr/bin/report" }, "cron", /paste only 0 9 \* \* 1/],
    ["a zone that does not exist", { timezone: "Europe/Berln" }, "timezone", /IANA.*did you mean Europe\/Berlin/],
    ["the city of a zone", { timezone: "berlin" }, "timezone", /did you mean Europe\/Berlin/],
    [
      "an end before the first",
      { endsAt: "2026-01-01T00:00:00Z" },
      "endsAt",
      /before the first.*every year|on the 1st of January/,
    ],
    ["a spread of more than an hour", { spreadMs: 3_600_001 }, "spreadMs", /0 to 3,600,000/],
    [
      "an instant at which all expire",
      { delivery: { expiresAt: "2031-01-01T00:00:00Z" } },
      "delivery.expiresAt",
      /expiresIn/,
    ],
    [
      "more retries than the plan has",
      { delivery: { retryDelaysMs: Array(9).fill(1_000) } },
      "delivery.retryDelaysMs.4",
      /plan has 4/,
    ],
    ["an unknown word", { overlap: "queue" }, "overlap", /allow or skip/],
    ["a time", { fireAt: "2031-01-01T00:00:00Z" }, "fireAt", /unknown/],
    ["a forbidden target", { targetUrl: "http://127.0.0.1/" }, "targetUrl", /./],
  ];
  it.each(BAD)("refuses %s, and says where and why", async (_, field, path, message) => {
    const answer = await put({ ...YEARLY, ...field });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "VALIDATION" } } });
    const [detail] = answer.body.error.details;
    expect(detail.path).toBe(path);
    expect(detail.message).toMatch(message);
    expect(await stored()).toBeUndefined();
  });

  it("refuses a rule that fires more often than the plan allows, in words", async () => {
    caller = await api.account("indie");
    const answer = await put({ ...MINUTELY, cron: "*/10 * * * *" });
    expect(answer.body.error.details).toEqual([
      { path: "cron", message: "fires 600 s apart (every 10 minutes); this plan allows 900 s or more" },
    ]);
    expect((await put({ ...MINUTELY, cron: "*/15 * * * *" })).status).toBe(201);
  });

  it("refuses a payload over the plan's size", async () => {
    const payload = "x".repeat(api.config.plans.free.payloadBytesMax + 1);
    expect((await put({ ...YEARLY, payload })).body.error.code).toBe("PAYLOAD_TOO_LARGE");
  });

  it.each(["a/b", "ä ö?#%", "%2F", "pause", "x".repeat(255), "\u{1f680}".repeat(255), "__proto__"])(
    "takes the key %s as it is",
    async (key) => {
      expect((await put(YEARLY, { key })).body.key).toBe(key);
      expect((await api.call("GET", pathOf(key), caller.live)).body.key).toBe(key);
      expect((await api.call("DELETE", pathOf(key), caller.live)).body).toEqual({ key, taken_back: 1, in_flight: 0 });
    },
  );

  it.each(["x".repeat(256), "\0"])("refuses the key %j", async (key) => {
    expect((await put(YEARLY, { key })).body.error).toMatchObject({ code: "VALIDATION", details: [{ path: "key" }] });
  });
});

describe("POST /v1/recurrences/:key/pause and /resume", () => {
  it("takes what is open back, and makes nothing until it is resumed, then from now on", async () => {
    const { body: created } = await put();
    const made = await open();
    const paused = await ask("POST", "/pause", { note: "moving the office" });
    expect(paused).toMatchObject({
      status: 200,
      body: {
        status: "paused",
        pause_note: "moving the office",
        paused_until: null,
        next: [],
        taken_back: made.length,
      },
    });
    expect(await open()).toHaveLength(0);
    expect(await createdBy(api, caller)).toBe(0);
    expect(await step()).toBe(0);

    const resumed = await ask("POST", "/resume");
    expect(resumed.body).toMatchObject({ status: "active", pause_note: null, left_out: [] });
    const instants = (await open()).map(({ occurrenceAt }) => occurrenceAt.toISOString());
    expect(instants).toContain(created.next[1].fire_at);
    expect((await ask("POST", "/resume")).body.updated_at).toBe(resumed.body.updated_at);
  });

  it("goes on by itself at the end of a pause, and misses nothing", async () => {
    await put(YEARLY);
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const paused = await ask("POST", "/pause", { until });
    expect(paused.body).toMatchObject({ status: "paused", paused_until: until });
    expect(paused.body.next).toHaveLength(5);
    expect((await ask("POST", "/pause", { note: "longer" })).body).toMatchObject({ paused_until: null, taken_back: 0 });
    await ask("POST", "/pause", { until });
    await passMinutes(61);
    expect(await step()).toBe(1);
    expect((await ask("GET")).body).toMatchObject({ status: "active", paused_until: null, left_out: [] });
    expect(await open()).toHaveLength(1);
  });

  it("takes no body as no note and no end", async () => {
    await put(YEARLY);
    expect((await ask("POST", "/pause")).body).toMatchObject({ pause_note: null, paused_until: null });
  });

  it("refuses an end in the past, and what has ended", async () => {
    await put(YEARLY);
    const answer = await ask("POST", "/pause", { until: "2026-01-01T00:00:00Z" });
    expect(answer.body.error).toMatchObject({ code: "VALIDATION", details: [{ path: "until" }] });
    await api.sql`UPDATE recurrences SET status = 'ended', next_step_at = NULL WHERE account_id = ${caller.accountId}`;
    for (const action of ["/pause", "/resume"]) {
      expect((await ask("POST", action)).body.error).toMatchObject({ code: "CONFLICT" });
    }
  });
});

describe("DELETE /v1/recurrences/:key", () => {
  it("takes what is open back, and frees the key", async () => {
    await put();
    const made = await open();
    await become(made[0]?.id as string, "firing");
    const answer = await ask("DELETE");
    expect(answer).toMatchObject({ status: 200, body: { key: KEY, taken_back: made.length - 1, in_flight: 1 } });
    expect(await open()).toHaveLength(0);
    for (const method of ["GET", "DELETE"] as const) expect((await ask(method)).status).toBe(404);
    for (const action of ["/pause", "/resume"]) expect((await ask("POST", action)).status).toBe(404);
    expect((await put()).status).toBe(201);
  });
});

describe("an occurrence", () => {
  const idOf = async (n = 0) => encodeId("sch", (await open())[n]?.id as string);
  const get = async (id: string) => (await api.call("GET", `/v1/schedules/${id}`, caller.live)).body;

  it("says which recurrence made it and for which instant, moved or not, until the recurrence is deleted", async () => {
    const { next } = (await put(YEARLY)).body;
    const id = await idOf();
    expect(await get(id)).toMatchObject({
      recurrence: KEY,
      occurrence_at: next[0].fire_at,
      next_attempt_at: next[0].fire_at,
    });
    const moved = await api.call("PATCH", `/v1/schedules/${id}`, caller.live, { fireIn: "1h" });
    expect(moved.body).toMatchObject({ recurrence: KEY, occurrence_at: next[0].fire_at });
    const fired = await api.call("POST", `/v1/schedules/${id}/fire`, caller.live);
    expect(fired.body).toMatchObject({ recurrence: KEY, occurrence_at: next[0].fire_at });
    await ask("DELETE");
    expect(await get(id)).toMatchObject({ status: "cancelled", recurrence: null, occurrence_at: next[0].fire_at });
    expect(await get(await api.create(caller.live))).toMatchObject({ recurrence: null, occurrence_at: null });
  });

  it.each(["PATCH", "POST", "DELETE"] as const)(
    "that waits whether it overlaps shows when it fires, and is moved, fired or cancelled as any other (%s)",
    async (method) => {
      const { next } = (await put({ ...YEARLY, overlap: "skip" })).body;
      const id = await idOf();
      const shown = { fire_at: next[0].fire_at, next_attempt_at: next[0].fire_at };
      expect(await get(id)).toMatchObject({ ...shown, status: "scheduled" });
      const { items } = (await api.call("GET", "/v1/schedules", caller.live)).body;
      expect(items[0]).toMatchObject(shown);
      const path = `/v1/schedules/${id}${method === "POST" ? "/fire" : ""}`;
      const { status, body } = await api.call(
        method,
        path,
        caller.live,
        method === "PATCH" ? { fireIn: "1h" } : undefined,
      );
      expect([status, body.occurrence_at]).toEqual([200, next[0].fire_at]);
      expect(body.next_attempt_at).toBe(method === "DELETE" ? null : body.fire_at);
      const [row] = await api.sql`SELECT next_attempt_at AS at FROM schedules WHERE account_id = ${caller.accountId}`;
      expect(row?.at?.getTime() ?? 0).toBeLessThan(Date.parse("2100-01-01"));
    },
  );

  it("is found by the key of its recurrence in lists, the log and operations", async () => {
    await put(YEARLY);
    await put(YEARLY, { key: "other" });
    await api.create(caller.live);
    const query = `recurrence=${encodeURIComponent(KEY)}`;
    const list = async (more = "") => (await api.call("GET", `/v1/schedules?${query}${more}`, caller.live)).body;
    for (const sort of ["-created_at", "fire_at", "-fire_at", "late"]) {
      const { items, total } = await list(`&sort=${sort}&status=scheduled`);
      expect([items.length, total]).toEqual([1, 1]);
      expect(items.every(({ recurrence }: { recurrence: string }) => recurrence === KEY)).toBe(true);
    }
    expect((await api.call("GET", "/v1/schedules?recurrence=unknown", caller.live)).body.items).toEqual([]);
    expect((await api.call("GET", `/v1/logs?${query}`, caller.live)).body.items).toEqual([]);
    const { id } = (await list()).items[0];
    await api.sql`
      INSERT INTO attempts (schedule_id, attempt, attempted_at, account_id, env, outcome, status_code, latency_ms, error_text)
      SELECT id, 1, now(), account_id, env, 'rejected', 500, 1, '' FROM schedules WHERE account_id = ${caller.accountId}`;
    await api.sql`UPDATE schedules SET last_attempt_at = now() WHERE account_id = ${caller.accountId}`;
    expect((await api.call("GET", `/v1/logs?${query}&limit=1`, caller.live)).body.total).toBe(1);
    const operation = { action: "cancel", filter: { recurrence: KEY } };
    const { body } = await api.call("POST", "/v1/operations", caller.live, operation);
    expect(body).toMatchObject({ filter: { recurrence: KEY }, total: 1 });
    const config = { env: "live" as const, accountId: caller.accountId };
    const found = await api.services.database.run(5_000, ({ sql }) =>
      findMembers(sql, { ...config, ...RUNNING, acceptedAtMs: Date.parse(body.created_at) }, 100),
    );
    expect(found.members).toHaveLength(1);
    expect(found.members.map((member) => encodeId("sch", member.id))).toContain(id);
  });
});

/** What a step knows of an operation that begins. */
const RUNNING = {
  ...{
    id: "",
    action: "cancel" as const,
    scheduleIds: null,
    place: null,
    scanned: 0,
    leftAlone: {},
    plan: "free" as const,
  },
  filter: { statuses: null, q: null, fromMs: null, toMs: null, recurrence: KEY },
};

describe("GET /v1/recurrences", () => {
  it("lists the newest first, page by page, and those with one status", async () => {
    for (const key of ["a", "b", "c"]) await put(YEARLY, { key });
    await api.call("POST", pathOf("b", "/pause"), caller.live);
    const list = async (query = "") => (await api.call("GET", `/v1/recurrences${query}`, caller.live)).body;
    const keys = ({ items }: { items: { key: string }[] }) => items.map(({ key }) => key);
    expect(keys(await list())).toEqual(["c", "b", "a"]);
    const first = await list("?limit=2");
    expect([keys(first), first.total]).toEqual([["c", "b"], 3]);
    expect(keys(await list(`?limit=2&after=${first.next_cursor}`))).toEqual(["a"]);
    expect(keys(await list("?status=paused"))).toEqual(["b"]);
    const wrong = await api.call("GET", `/v1/recurrences?status=active&after=${first.next_cursor}`, caller.live);
    expect(wrong.body.error.details).toMatchObject([{ path: "after" }]);
    expect((await list()).items[0]).toEqual((await api.call("GET", pathOf("c"), caller.live)).body);
  });
});
