import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { decodeId } from "#domain/ids.ts";
import { type Api, FUTURE, startApi, TARGET, type TestCaller } from "./api.ts";

let api: Api;
let caller: TestCaller;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());
beforeEach(async () => {
  caller = await api.account();
});

const get = (id: string) => api.call("GET", `/v1/schedules/${id}`, caller.live);
const patch = (id: string, body: unknown) => api.call("PATCH", `/v1/schedules/${id}`, caller.live, body);
const cancel = (id: string) => api.call("DELETE", `/v1/schedules/${id}`, caller.live);
const uuid = (id: string) => decodeId("sch", id) as string;
const soon = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

/** Puts a schedule into a status as the dispatcher would. */
async function become(id: string, status: string) {
  const isTerminal = ["succeeded", "dead", "cancelled"].includes(status);
  const isFiring = status === "firing";
  await api.sql`UPDATE schedules SET status = ${status}, version = version + 1, attempts = ${status === "scheduled" ? 0 : 1},
      claim_deadline = CASE WHEN ${isFiring} THEN now() + interval '35 s' END,
      next_attempt_at = CASE WHEN ${isTerminal} THEN NULL ELSE fire_at END,
      ended_at = CASE WHEN ${isTerminal} THEN now() END
    WHERE id = ${uuid(id)}`;
}

describe("GET /v1/schedules/:id", () => {
  it("answers exactly the fields of the contract", async () => {
    const id = await api.create(caller.live, { payload: "\u20acx", method: "PUT", earlyFire: true });
    const { body } = await get(id);
    expect(body).toEqual({
      id,
      target_url: TARGET,
      method: "PUT",
      status: "scheduled",
      fire_at: FUTURE,
      fired_at: null,
      offset_ms: null,
      early_fire: true,
      attempts: 0,
      payload_size_bytes: 4,
      has_payload: true,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: body.created_at,
      next_attempt_at: FUTURE,
      replay_of: null,
    });
  });

  it.each([
    ["scheduled", FUTURE],
    ["failed", FUTURE],
    ["firing", null],
    ["succeeded", null],
    ["dead", null],
    ["cancelled", null],
  ])("of a %s schedule has next_attempt_at %s", async (status, next) => {
    const id = await api.create(caller.live);
    await become(id, status);
    expect((await get(id)).body).toMatchObject({ status, next_attempt_at: next });
    expect((await api.call("GET", `/v1/schedules/${id}/attempts`, caller.live)).body.next_attempt_at).toBe(next);
  });
});

describe("PATCH /v1/schedules/:id", () => {
  it("moves fire_at, the next attempt and the version, and changes nothing else", async () => {
    const id = await api.create(caller.live);
    const fireAt = "2032-02-29T12:00:00.5+01:00";
    const answer = await patch(id, { fireAt });
    expect(answer).toMatchObject({
      status: 200,
      body: { fire_at: "2032-02-29T11:00:00.500Z", next_attempt_at: "2032-02-29T11:00:00.500Z", early_fire: false },
    });
    expect(answer.body).toEqual((await get(id)).body);
    const [row] = await api.sql`SELECT version::int FROM schedules WHERE id = ${uuid(id)}`;
    expect(row?.version).toBe(2);
  });

  it("sets early fire alone, also once the instant has passed", async () => {
    const id = await api.create(caller.live);
    await api.sql`UPDATE schedules SET fire_at = now() - interval '1 s', next_attempt_at = now() - interval '1 s'
      WHERE id = ${uuid(id)}`;
    expect(await patch(id, { earlyFire: true })).toMatchObject({ status: 200, body: { early_fire: true } });
  });

  it.each([
    ["nothing", {}],
    ["an unknown field", { foo: 1 }],
    ["an unknown field beside a known one", { earlyFire: true, targetUrl: TARGET }],
    ["a past instant", { fireAt: "2020-01-01T00:00:00Z" }],
    ["a malformed instant", { fireAt: "tomorrow" }],
    ["null", { fireAt: null, earlyFire: true }],
  ])("refuses %s and changes nothing", async (_, body) => {
    const id = await api.create(caller.live);
    const before = (await get(id)).body;
    expect(await patch(id, body)).toMatchObject({ status: 400, body: { error: { code: "VALIDATION" } } });
    expect((await get(id)).body).toEqual(before);
  });

  it.each(["firing", "succeeded", "failed", "dead", "cancelled"])("answers 409 for a %s schedule", async (status) => {
    const id = await api.create(caller.live);
    await become(id, status);
    const answer = await patch(id, { fireAt: FUTURE });
    expect(answer).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
    expect(answer.body.error.message).toContain(status);
    if (status === "firing") expect(answer.body.error.message).toMatch(/ends by \d{4}-.*Z: try again/);
  });

  it("notifies the dispatchers of a schedule that is due soon, and of no other", async () => {
    const notifications: string[] = [];
    const listener = await api.sql.listen("stopwatch_due", (payload) => notifications.push(payload));
    const id = await api.create(caller.live);
    await patch(id, { fireAt: soon(3_600) });
    const at = soon(3);
    await patch(id, { fireAt: at });
    await api.sql.notify("stopwatch_due", "end");
    await expect.poll(() => notifications).toContain("end");
    await listener.unlisten();
    const [row] = await api.sql`SELECT shard FROM schedules WHERE id = ${uuid(id)}`;
    expect(notifications).toEqual([`${row?.shard}:${uuid(id)}:${caller.accountId}:live:${Date.parse(at)}:1`, "end"]);
  });
});

describe("DELETE /v1/schedules/:id", () => {
  it.each(["scheduled", "failed", "cancelled"])("answers 200 and cancelled for a %s schedule", async (status) => {
    const id = await api.create(caller.live);
    await become(id, status);
    expect(await cancel(id)).toMatchObject({ status: 200, body: { status: "cancelled", next_attempt_at: null } });
    expect(await cancel(id)).toMatchObject({ status: 200, body: { status: "cancelled" } });
  });

  it.each(["firing", "succeeded", "dead"])("answers 409 for a %s schedule and names the status", async (status) => {
    const id = await api.create(caller.live);
    await become(id, status);
    const answer = await cancel(id);
    expect(answer).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
    expect(answer.body.error.message).toContain(status);
    expect((await get(id)).body.status).toBe(status);
  });

  it("returns nothing to the quota", async () => {
    await cancel(await api.create(caller.live));
    const [row] = await api.sql`SELECT scheduled FROM usage WHERE account_id = ${caller.accountId}`;
    expect(row?.scheduled).toBe(1);
  });
});

describe("in a race,", () => {
  it("an acknowledged cancel wins over parallel reschedules", async () => {
    for (let round = 0; round < 20; round++) {
      const id = await api.create(caller.live);
      const [cancelled, ...moves] = await Promise.all([
        cancel(id),
        ...Array.from({ length: 5 }, (_, i) => patch(id, { fireAt: `2032-01-01T00:00:0${i}Z` })),
      ]);
      expect(cancelled.status).toBe(200);
      for (const move of moves) expect([200, 409]).toContain(move.status);
      const [row] = await api.sql`SELECT status, version::int FROM schedules WHERE id = ${uuid(id)}`;
      expect(row).toEqual({ status: "cancelled", version: 2 + moves.filter((move) => move.status === 200).length });
    }
  });

  it("a claim and a cancel never both win", async () => {
    for (let round = 0; round < 20; round++) {
      const id = await api.create(caller.live);
      const claim = api.sql`UPDATE schedules SET status = 'firing', version = version + 1, attempts = 1,
        claim_deadline = now() + interval '35 s' WHERE id = ${uuid(id)} AND version = 1 AND status = 'scheduled' RETURNING id`;
      const [claimed, cancelled] = await Promise.all([claim, cancel(id)]);
      expect([claimed.length, cancelled.status]).toEqual(claimed.length === 1 ? [1, 409] : [0, 200]);
    }
  });
});

describe("GET /v1/schedules/:id/attempts", () => {
  it("shows the attempts within the retention window, oldest first, with their timing", async () => {
    const id = await api.create(caller.live);
    await api.sql`INSERT INTO attempts (schedule_id, attempt, attempted_at, account_id, env, outcome, status_code, latency_ms,
        error_text, late_ms, claim_ms, wait_ms, connect_ms, first_byte_ms) VALUES
      (${uuid(id)}, 1, now() - interval '8 days', ${caller.accountId}, 'live', 'rejected', 500, 9, 'old', 1, 1, 1, 1, 1),
      (${uuid(id)}, 3, now() - interval '1 hour', ${caller.accountId}, 'live', 'delivered', 200, 12, '', 0.4, 2.5, 0, 20, 11.8),
      (${uuid(id)}, 2, now() - interval '2 hours', ${caller.accountId}, 'live', 'interrupted', NULL, 0,
        'interrupted: outcome unknown', NULL, NULL, NULL, NULL, NULL)`;
    const answer = await api.call("GET", `/v1/schedules/${id}/attempts`, caller.live);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      items: [
        {
          attempt: 2,
          status_code: null,
          latency_ms: 0,
          error_text: "interrupted: outcome unknown",
          attempted_at: expect.stringMatching(/Z$/),
          timing: { late: null, claim: null, wait: null, connect: null, first_byte: null },
        },
        {
          attempt: 3,
          status_code: 200,
          latency_ms: 12,
          error_text: "",
          attempted_at: expect.stringMatching(/Z$/),
          timing: { late: 0.4, claim: 2.5, wait: 0, connect: 20, first_byte: 11.8 },
        },
      ],
      next_attempt_at: FUTURE,
      retention_days: 7,
    });
  });
});
