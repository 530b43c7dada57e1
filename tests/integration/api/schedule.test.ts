import type postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { decodeId } from "#domain/ids.ts";
import { type Answer, type Api, FUTURE, startApi, TARGET, type TestCaller } from "./api.ts";

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
const fire = (id: string, key = caller.live) => api.call("POST", `/v1/schedules/${id}/fire`, key);
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

/** Expects `Retry-After` to say when the attempt that `become` began has ended at the latest, or not to be there. */
function expectRetryAfter({ headers }: Answer, isThere: boolean) {
  const [, seconds] = /^(\d+)$/.exec(headers.get("retry-after") ?? "") ?? [];
  if (isThere) expect([34, 35]).toContain(Number(seconds));
  else expect(headers.has("retry-after")).toBe(false);
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
      last_status_code: null,
      last_error: null,
      end_reason: null,
      delivery: null,
      replay_of: null,
      recurrence: null,
      occurrence_at: null,
      operation_id: null,
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
    expectRetryAfter(answer, status === "firing");
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
    expectRetryAfter(answer, status === "firing");
    expect((await get(id)).body.status).toBe(status);
  });

  it("returns nothing to the quota", async () => {
    await cancel(await api.create(caller.live));
    const [row] = await api.sql`SELECT scheduled FROM usage WHERE account_id = ${caller.accountId}`;
    expect(row?.scheduled).toBe(1);
  });
});

describe("POST /v1/schedules/:id/fire", () => {
  const row = async (id: string) => {
    const [found] = await api.sql`SELECT *, version::int AS version FROM schedules WHERE id = ${uuid(id)}`;
    return found as postgres.Row;
  };
  const now = async () => (await api.sql`SELECT clock_timestamp()::timestamptz(3) AS now`)[0]?.now as Date;

  it("moves a scheduled one to now, keeps its early firing, and counts nothing", async () => {
    const id = await api.create(caller.live, { earlyFire: true });
    const before = await now();
    const answer = await fire(id);
    expect(answer).toMatchObject({ status: 200, body: { status: "scheduled", early_fire: true, attempts: 0 } });
    const firesAt = new Date(answer.body.fire_at);
    expect(firesAt >= before && firesAt <= new Date((await now()).getTime() + 1)).toBe(true);
    expect(answer.body.next_attempt_at).toBe(answer.body.fire_at);
    expect(answer.body).toEqual((await get(id)).body);
    expect(await row(id)).toMatchObject({ version: 2, fire_at: firesAt, moved_to_now_at: firesAt });
    const [used] = await api.sql`SELECT scheduled FROM usage WHERE account_id = ${caller.accountId}`;
    expect(used?.scheduled).toBe(1);
  });

  it("makes the next retry of a failed one due now, and keeps the instant and the attempts", async () => {
    const id = await api.create(caller.live);
    await become(id, "failed");
    const before = await now();
    const answer = await fire(id);
    expect(answer).toMatchObject({ status: 200, body: { status: "failed", fire_at: FUTURE, attempts: 1 } });
    const dueAt = new Date(answer.body.next_attempt_at);
    expect(dueAt >= before && dueAt <= new Date((await now()).getTime() + 1)).toBe(true);
    expect(await row(id)).toMatchObject({ version: 3, failures: 0, next_attempt_at: dueAt });
  });

  it.each(["firing", "succeeded", "dead", "cancelled"])(
    "answers 409 for a %s one and changes nothing",
    async (status) => {
      const id = await api.create(caller.live);
      await become(id, status);
      const before = await row(id);
      const answer = await fire(id);
      expect(answer).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
      expect(answer.body.error.message).toContain(`A schedule that is ${status} cannot be fired.`);
      expectRetryAfter(answer, status === "firing");
      expect(await row(id)).toEqual(before);
    },
  );

  it.each(["scheduled", "failed"])("leaves a %s one that is due already as it is, however often", async (status) => {
    const id = await api.create(caller.live);
    await become(id, status);
    await api.sql`UPDATE schedules SET next_attempt_at = now() - interval '1 s' WHERE id = ${uuid(id)}`;
    const before = await row(id);
    for (let n = 0; n < 2; n++) expect(await fire(id)).toMatchObject({ status: 200, body: (await get(id)).body });
    expect(await row(id)).toEqual(before);
    const moved = await api.create(caller.live);
    const first = await fire(moved);
    expect(await fire(moved)).toMatchObject({ status: 200, body: first.body });
  });

  it("answers 404 for one of another account or environment, and for a malformed id", async () => {
    const id = await api.create(caller.live);
    for (const answer of [
      await fire(id, (await api.account()).live),
      await fire(id, caller.test),
      await fire("sch_x"),
      await fire("sch_01kbm5qk4f8rz3c2x7w9v6n1ta"),
    ])
      expect(answer).toMatchObject({ status: 404, body: { error: { code: "NOT_FOUND" } } });
    expect((await row(id)).version).toBe(1);
  });

  it("notifies the dispatchers, and wakes the lane", async () => {
    const notifications: string[] = [];
    const listener = await api.sql.listen("stopwatch_due", (payload) => notifications.push(payload));
    const id = await api.create(caller.live);
    const { fire_at } = (await fire(id)).body;
    await fire(id);
    await api.sql.notify("stopwatch_due", "end");
    await expect.poll(() => notifications).toContain("end");
    await listener.unlisten();
    const { shard } = await row(id);
    expect(notifications).toEqual([`${shard}:${uuid(id)}:${caller.accountId}:live:${Date.parse(fire_at)}:1`, "end"]);
    const [lane] = await api.sql`SELECT due_at FROM lanes WHERE account_id = ${caller.accountId} AND env = 'live'`;
    expect(lane?.due_at).toEqual(new Date(fire_at));
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

  it("of a claim, a cancel and a move to now, every acknowledged change holds", async () => {
    for (let round = 0; round < 20; round++) {
      const id = await api.create(caller.live);
      const claim = api.sql`UPDATE schedules SET status = 'firing', version = version + 1, attempts = 1,
        claim_deadline = now() + interval '35 s' WHERE id = ${uuid(id)} AND version = 1 AND status = 'scheduled' RETURNING id`;
      const [claimed, fired, cancelled] = await Promise.all([claim, fire(id), cancel(id)]);
      const { status } = (await get(id)).body;
      expect([fired.status, cancelled.status].every((code) => code === 200 || code === 409)).toBe(true);
      if (claimed.length === 1) expect([fired.status, cancelled.status, status]).toEqual([409, 409, "firing"]);
      else expect([cancelled.status, status]).toEqual([200, "cancelled"]);
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
        error_text, late_ms, claim_ms, wait_ms, connect_ms, first_byte_ms, via) VALUES
      (${uuid(id)}, 1, now() - interval '8 days', ${caller.accountId}, 'live', 'rejected', 500, 9, 'old', 1, 1, 1, 1, 1, NULL),
      (${uuid(id)}, 3, now() - interval '1 hour', ${caller.accountId}, 'live', 'delivered', 200, 12, '', 0.4, 2.5, 0, NULL, 11.8, 'listener'),
      (${uuid(id)}, 2, now() - interval '2 hours', ${caller.accountId}, 'live', 'interrupted', NULL, 0,
        'interrupted: outcome unknown', NULL, NULL, NULL, NULL, NULL, NULL)`;
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
          via: null,
          timing: { late: null, claim: null, wait: null, connect: null, first_byte: null },
        },
        {
          attempt: 3,
          status_code: 200,
          latency_ms: 12,
          error_text: "",
          attempted_at: expect.stringMatching(/Z$/),
          via: "listener",
          timing: { late: 0.4, claim: 2.5, wait: 0, connect: null, first_byte: 11.8 },
        },
      ],
      next_attempt_at: FUTURE,
      retention_days: 7,
    });
  });
});
