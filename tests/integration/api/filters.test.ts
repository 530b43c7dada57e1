import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { decodeId } from "#domain/ids.ts";
import { type Api, startApi, type TestCaller } from "./api.ts";

let api: Api;
let caller: TestCaller;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());
beforeEach(async () => {
  caller = await api.account();
});

const uuid = (id: string) => decodeId("sch", id) as string;

/** Creates a schedule to a host. */
const create = (host = "example.com", fields: object = {}) =>
  api.create(caller.live, { targetUrl: `https://${host}/hook`, ...fields });

/** Makes a schedule one that was sent so late, ms, and got this answer; null: none. */
async function end(id: string, lateMs: number, code: number | null = 200): Promise<void> {
  const isDelivered = code !== null && code < 300;
  await api.sql`
    UPDATE schedules SET status = ${isDelivered ? "succeeded" : "dead"}, attempts = 1, next_attempt_at = NULL, ended_at = now(),
      fired_at = now(), last_attempt_at = now(), offset_ms = ${lateMs}, early_fire = ${lateMs < 0}, last_status_code = ${code},
      last_error = ${isDelivered ? null : "no"}
    WHERE id = ${uuid(id)}`;
  await api.sql`
    INSERT INTO attempts (schedule_id, attempt, attempted_at, account_id, env, outcome, status_code, latency_ms, error_text, late_ms)
    SELECT id, 1, now(), account_id, env, ${isDelivered ? "delivered" : code === null ? "unreachable" : "rejected"}, ${code}, 1,
      ${isDelivered ? "" : "no"}, ${lateMs + 0.25} FROM schedules WHERE id = ${uuid(id)}`;
}

async function list(query: string, path = "/v1/schedules") {
  const answer = await api.call("GET", `${path}?${query}`, caller.live);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  const ids: string[] = answer.body.items.map(
    (item: { id?: string; schedule_id?: string }) => item.id ?? item.schedule_id,
  );
  return { ...answer.body, ids };
}

describe("a list of schedules", () => {
  it("is filtered by the whole host, in any letter case and as it was typed", async () => {
    const [plain, port, other] = [await create(), await create("example.com:80"), await create("api.example.com")];
    expect((await list("host=example.com")).ids).toEqual([plain]);
    expect((await list("host=EXAMPLE.com:443")).ids).toEqual([plain]);
    expect((await list("host=example.com:80")).ids).toEqual([port]);
    expect((await list("host=api.example.com")).ids).toEqual([other]);
    expect(await list("host=example.org")).toMatchObject({ ids: [], total: 0 });
    const punycode = await create("m\u00fcnchen.example.com");
    expect((await list(`host=${encodeURIComponent("m\u00fcnchen.example.com")}`)).ids).toEqual([punycode]);
  });

  it("is filtered by lateness, both ends included; what was not sent has none", async () => {
    const [early, none, on, late] = [await create(), await create(), await create(), await create()] as [
      string,
      string,
      string,
      string,
    ];
    await end(early, -3);
    await end(on, 0);
    await end(late, 250);
    expect((await list("late=250..")).ids).toEqual([late]);
    expect((await list("late=..0")).ids).toEqual([on, early]);
    expect((await list("late=-3..-1")).ids).toEqual([early]);
    expect((await list("late=0..250&sort=fire_at")).ids.sort()).toEqual([on, late].sort());
    expect((await list("late=-10..")).ids).not.toContain(none);
  });

  it("is filtered by the last answer: a status code, a class, or none", async () => {
    const ids = await Promise.all(
      [200, 404, 503, null].map(async (code) => {
        const id = await create();
        await end(id, 1, code);
        return id;
      }),
    );
    await create();
    const [ok, missing, down, silent] = ids;
    expect((await list("code=503")).ids).toEqual([down]);
    expect((await list("code=5xx")).ids).toEqual([down]);
    expect((await list("code=4xx")).ids).toEqual([missing]);
    expect((await list("code=200")).ids).toEqual([ok]);
    expect((await list("code=2xx")).ids).toEqual([ok]);
    expect((await list("code=none")).ids).toEqual([silent]);
    expect((await list("code=500")).ids).toEqual([]);
  });

  it("is filtered by idempotency key and by the operation that made the copies", async () => {
    const id = await create("example.com", { idempotencyKey: "order 1/\u00e4" });
    const copy = await create();
    const operation = "op_01kbm5qk4f8rz3c2x7w9v6n1ta";
    await api.sql`UPDATE schedule_requests SET operation_id = ${decodeId("op", operation)} WHERE schedule_id = ${uuid(copy)}`;
    expect((await list(`idempotency_key=${encodeURIComponent("order 1/\u00e4")}`)).ids).toEqual([id]);
    expect((await list("idempotency_key=order")).ids).toEqual([]);
    expect(await list(`operation=${operation}`)).toMatchObject({
      total: 1,
      items: [{ id: copy, operation_id: operation }],
    });
    expect((await list(`operation=${operation}&host=example.org`)).ids).toEqual([]);
  });

  it("in the order of lateness begins with the latest, ends with what was not sent, and each cursor continues it", async () => {
    const ids = await Promise.all(Array.from({ length: 9 }, () => create()));
    const lateness = [5, -2, 300, 5, 0];
    for (const [n, ms] of lateness.entries()) await end(ids[n] as string, ms);
    const all = await list("sort=late");
    const shown = all.items.map(({ offset_ms }: { offset_ms: number | null }) => offset_ms);
    expect(shown).toEqual([300, 5, 5, 0, -2, null, null, null, null]);
    for (const query of ["sort=late", "sort=late&host=example.com", "sort=late&late=-2..300"]) {
      const whole = await list(query);
      const walked: string[] = [];
      for (let after = ""; ; ) {
        const page = await list(`${query}&limit=1${after && `&after=${after}`}`);
        expect(page.total).toBe(whole.total);
        walked.push(...page.ids);
        if (page.next_cursor === null) break;
        after = page.next_cursor;
      }
      expect(walked).toEqual(whole.ids);
    }
  });

  it.each([
    [
      "late",
      ["250", "250...", "..", "", "1.5..", "0250..", "+1..", "-0..", "500..100", " 1..", "1..2..3", "a..", "1e3.."],
      "250..",
    ],
    [
      "host",
      [
        "https://example.com",
        "example.com/hook",
        "a b",
        "u@example.com",
        "10.1",
        "example.com:0",
        "example.com:99999",
        "example.com?x",
      ],
      "api.example.com",
    ],
    ["code", ["5XX", "6xx", "1xx", "50", "5030", "NONE", "503,504", "0503"], "503"],
    [
      "operation",
      ["op_1", "sch_01kbm5qk4f8rz3c2x7w9v6n1ta", "OP_01KBM5QK4F8RZ3C2X7W9V6N1TA"],
      "op_01kbm5qk4f8rz3c2x7w9v6n1ta",
    ],
    ["idempotency_key", ["x".repeat(256), "%00"], "1 to 255"],
  ])("refuses a %s that is none, and names it", async (name, values, example) => {
    for (const path of ["/v1/schedules", "/v1/logs"]) {
      for (const value of values) {
        const text = value === "%00" ? value : encodeURIComponent(value);
        const { status, body } = await api.call("GET", `${path}?${name}=${text}`, caller.live);
        expect(status, `${path} ${value}`).toBe(400);
        expect(body.error).toMatchObject({ code: "VALIDATION", details: [{ path: name }] });
        if (value !== "" && value !== "%00") expect(body.error.details[0].message).toContain(example);
      }
    }
  });
});
