import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { writeCursor } from "#contract/inputs/cursor.ts";
import { filterDigest } from "#contract/inputs/filter-digest.ts";
import { OPERATION_ORDER } from "#contract/inputs/operation-input.ts";
import { decodeId, encodeId } from "#domain/ids.ts";
import { OPERATIONS_RUNNING_MAX } from "#domain/operations.ts";
import { type Api, FUTURE, startApi, type TestCaller } from "./api.ts";

let api: Api;
let caller: TestCaller;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());
beforeEach(async () => {
  caller = await api.account();
});

const start = (body: unknown, key: string = caller.live, headers?: Record<string, string>) =>
  api.call("POST", "/v1/operations", key, body, headers);
const idsOf = async (textId: string) =>
  (await api.sql`SELECT schedule_ids FROM operations WHERE id = ${uuid(textId)}`)[0]?.schedule_ids;
const uuid = (textId: string) => decodeId("op", textId) as string;

describe("POST /v1/operations", () => {
  it("accepts an operation on all that match, and says how many these are", async () => {
    await api.create(caller.live, { targetUrl: "https://example.com/a" });
    await api.create(caller.live, { targetUrl: "https://example.com/b" });
    const answer = await start({ action: "cancel", filter: { status: ["scheduled"], q: "com/A", from: FUTURE } });
    expect(answer).toMatchObject({
      status: 202,
      body: {
        action: "cancel",
        status: "running",
        total: 1,
        acted: 0,
        left_alone: {},
        error: null,
        ended_at: null,
        filter: { status: ["scheduled"], q: "com/A", from: FUTURE, to: null },
      },
    });
    const { replayed, mismatch, ...operation } = answer.body;
    expect(await api.call("GET", `/v1/operations/${operation.id}`, caller.live)).toMatchObject({
      status: 200,
      body: operation,
    });
  });

  it("accepts an operation on chosen schedules, each of which counts once", async () => {
    const id = await api.create(caller.live);
    const answer = await start({ action: "replay", schedules: [id, id] });
    expect(answer).toMatchObject({ status: 202, body: { action: "replay", filter: null, total: 1 } });
  });

  it("is done at once when nothing matches", async () => {
    const answer = await start({ action: "cancel", filter: { q: "nowhere" } });
    expect(answer).toMatchObject({ status: 202, body: { status: "done", total: 0, ended_at: expect.any(String) } });
  });

  it("acts on all schedules of the environment only when asked for all", async () => {
    await api.create(caller.live);
    await api.create(caller.test);
    expect((await start({ action: "cancel", all: true })).body).toMatchObject({
      total: 1,
      filter: { status: null, q: null, from: null, to: null, host: null },
    });
  });

  it("answers the same operation again for a known idempotencyKey, by field or header, and says when the request differs", async () => {
    await api.create(caller.live);
    const body = { action: "cancel", filter: { q: "example" } };
    const first = await start({ ...body, idempotencyKey: "k" });
    expect(first.body).toMatchObject({ replayed: false, mismatch: false });
    for (const again of [
      await start({ ...body, idempotencyKey: "k" }),
      await start(body, caller.live, { "idempotency-key": "k" }),
    ]) {
      expect(again).toMatchObject({ status: 200, body: { ...first.body, replayed: true, mismatch: false } });
      expect(again.headers.get("idempotent-replayed")).toBe("true");
      expect(again.headers.get("idempotency-mismatch")).toBeNull();
    }
    const other = await start({ action: "replay", filter: { q: "example" }, idempotencyKey: "k" });
    expect(other).toMatchObject({ status: 200, body: { ...first.body, replayed: true, mismatch: true } });
    expect(other.headers.get("idempotency-mismatch")).toBe("true");
    expect(await start({ ...body, idempotencyKey: "k" }, caller.test)).toMatchObject({ status: 202 });
  });

  it("accepts one operation for concurrent calls with one key", async () => {
    await api.create(caller.live);
    const body = { action: "cancel", all: true, idempotencyKey: "once" };
    const answers = await Promise.all([start(body), start(body), start(body), start(body)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 202]);
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
  });

  it("lets ten run at once, and no more when several are started concurrently", async () => {
    await api.create(caller.live);
    const body = { action: "cancel", all: true };
    const answers = await Promise.all(Array.from({ length: OPERATIONS_RUNNING_MAX + 3 }, () => start(body)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(OPERATIONS_RUNNING_MAX);
    const [refused] = answers.filter(({ status }) => status !== 202);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
    const { body: running } = await api.call("GET", "/v1/operations?limit=1", caller.live);
    await api.call("POST", `/v1/operations/${running.items[0].id}/stop`, caller.live);
    expect(await start(body)).toMatchObject({ status: 202 });
  });

  it("keeps no ids that do not exist or are another account's: they are counted as not found at once", async () => {
    const [mine, theirs] = [await api.create(caller.live), await api.create((await api.account()).live)];
    const elsewhere = await api.create(caller.test);
    const unknown = Array.from({ length: 997 }, () => encodeId("sch", crypto.randomUUID()));
    const answer = await start({ action: "cancel", schedules: [...unknown, theirs, mine, elsewhere] });
    expect(answer).toMatchObject({
      status: 202,
      body: { status: "running", total: 1_000, acted: 0, left_alone: { not_found: 999 } },
    });
    expect(await idsOf(answer.body.id)).toEqual([decodeId("sch", mine)]);
    const nothing = await start({ action: "cancel", schedules: [...unknown, theirs], idempotencyKey: "k" });
    expect(nothing).toMatchObject({
      status: 202,
      body: { status: "done", total: 998, acted: 0, left_alone: { not_found: 998 }, ended_at: expect.any(String) },
    });
    expect(await idsOf(nothing.body.id)).toEqual([]);
    const [size] = await api.sql`
      SELECT pg_column_size(operations.*) AS bytes FROM operations WHERE id = ${uuid(nothing.body.id)}`;
    expect(size?.bytes).toBeLessThan(400);
    const again = await start({ action: "cancel", schedules: [...unknown, theirs], idempotencyKey: "k" });
    expect([again.status, again.headers.get("idempotency-mismatch")]).toEqual([200, null]);
  });

  it("keeps no ids once an operation is stopped", async () => {
    const answer = await start({ action: "cancel", schedules: [await api.create(caller.live)] });
    expect(await idsOf(answer.body.id)).toHaveLength(1);
    await api.call("POST", `/v1/operations/${answer.body.id}/stop`, caller.live);
    expect(await idsOf(answer.body.id)).toEqual([]);
  });

  it("starts at most 200 within 24 hours in an environment, and says when the next one is possible", async () => {
    const body = { action: "cancel", filter: { q: "nowhere" } };
    const { id } = (await start({ ...body, idempotencyKey: "known" })).body;
    await api.sql`
      INSERT INTO operations (id, account_id, env, shard, action, status, filter, accepted_at, total, request_hash,
        next_step_at, updated_at, ended_at)
      SELECT gen_random_uuid(), account_id, env, shard, action, status, filter, at, total, request_hash, at, at, at
      FROM operations, generate_series(1, 1195) n,
        LATERAL (SELECT now() - CASE WHEN n > 195 THEN 25 ELSE 23 END * interval '1 hour' AS at) instant
      WHERE id = ${uuid(id)}`;
    const answers = await Promise.all(Array.from({ length: 8 }, () => start(body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(4).fill(202), ...Array(4).fill(429)]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body.error).toMatchObject({
      code: "RATE_LIMITED",
      message: "200 operations of this environment were started within 24 hours. Try again in 60 min.",
    });
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(3_500);
    expect(await start({ ...body, idempotencyKey: "known" })).toMatchObject({ status: 200, body: { id } });
    expect(await start(body, caller.test)).toMatchObject({ status: 202 });
  });

  it.each<[string, unknown, string]>([
    ["neither filter nor ids", { action: "cancel" }, "schedules"],
    ["an empty filter", { action: "cancel", filter: {} }, "filter"],
    ["a filter of which a program lost the only value", { action: "cancel", filter: { q: undefined } }, "filter"],
    ["a filter whose value is null", { action: "cancel", filter: { q: null } }, "filter.q"],
    ["an empty filter beside an all that is not true", { action: "cancel", filter: {}, all: false }, "all"],
    ["ids beside all", { action: "cancel", all: true, schedules: ["sch_01kbm5qk4f8rz3c2x7w9v6n1ta"] }, "all"],
    ["a filter beside all", { action: "cancel", all: true, filter: { q: "a" } }, "all"],
    [
      "ids beside a filter",
      { action: "cancel", filter: { q: "a" }, schedules: ["sch_01kbm5qk4f8rz3c2x7w9v6n1ta"] },
      "schedules",
    ],
    ["an unknown action", { action: "delete", all: true }, "action"],
    ["an unknown status", { action: "cancel", filter: { status: ["pending"] } }, "filter.status.0"],
    ["no status", { action: "cancel", filter: { status: [] } }, "filter.status"],
    ["a misspelt filter", { action: "cancel", filter: { stauts: ["dead"] } }, "filter.stauts"],
    ["an empty q", { action: "cancel", filter: { q: "" } }, "filter.q"],
    ["an instant that is none", { action: "cancel", filter: { from: "today" } }, "filter.from"],
    ["an id that is none", { action: "cancel", schedules: ["sch_1"] }, "schedules.0"],
    ["no id", { action: "cancel", schedules: [] }, "schedules"],
    [
      "too many ids",
      { action: "cancel", schedules: Array.from({ length: 1_001 }, () => "sch_01kbm5qk4f8rz3c2x7w9v6n1ta") },
      "schedules",
    ],
  ])("refuses %s, and stores nothing", async (_, body, path) => {
    expect(await start(body)).toMatchObject({
      status: 400,
      body: { error: { code: "VALIDATION", details: expect.arrayContaining([expect.objectContaining({ path })]) } },
    });
    expect((await api.call("GET", "/v1/operations", caller.live)).body).toMatchObject({ items: [], total: 0 });
  });
});

describe("POST /v1/operations/:id/stop", () => {
  it("stops a running operation, and answers the same again", async () => {
    await api.create(caller.live);
    const { body } = await start({ action: "cancel", all: true });
    const stopped = await api.call("POST", `/v1/operations/${body.id}/stop`, caller.live);
    expect(stopped).toMatchObject({ status: 200, body: { status: "stopped", ended_at: expect.any(String) } });
    const again = await api.call("POST", `/v1/operations/${body.id}/stop`, caller.live);
    expect(again).toMatchObject({ status: 200, body: stopped.body });
  });

  it.each([
    ["done", null],
    ["failed", "INTERNAL"],
  ])("is a conflict that names the status of one that is %s", async (status, error) => {
    await api.create(caller.live);
    const { body } = await start({ action: "cancel", all: true });
    await api.sql`
      UPDATE operations SET status = ${status}, error_code = ${error}, ended_at = now() WHERE id = ${uuid(body.id)}`;
    expect(await api.call("POST", `/v1/operations/${body.id}/stop`, caller.live)).toMatchObject({
      status: 409,
      body: { error: { code: "CONFLICT", message: expect.stringContaining(status) } },
    });
    const { body: found } = await api.call("GET", `/v1/operations/${body.id}`, caller.live);
    expect(found.error === null).toBe(error === null);
  });
});

describe("GET /v1/operations", () => {
  it("lists them newest first, each once over the pages", async () => {
    await api.create(caller.live);
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift((await start({ action: "cancel", all: true })).body.id);
    const met: string[] = [];
    let next: string | undefined = "/v1/operations?limit=2";
    while (next) {
      const page = await api.call("GET", next, caller.live);
      expect(page.body.total).toBe(5);
      met.push(...page.body.items.map(({ id }: { id: string }) => id));
      next = /<[^>]*(\/v1\/[^>]*)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1];
    }
    expect(met).toEqual(ids);
  });

  it("continues after a row by a cursor, whatever is accepted meanwhile", async () => {
    await api.create(caller.live);
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) ids.unshift((await start({ action: "cancel", all: true })).body.id);
    const [, second = ""] = ids;
    const [row] = await api.sql`SELECT accepted_at AS at FROM operations WHERE id = ${uuid(second)}`;
    const after = writeCursor({
      order: OPERATION_ORDER,
      atMs: row?.at.getTime(),
      id: uuid(second),
      attempt: 0,
      rowsBefore: 2,
      filter: filterDigest({}),
    });
    await start({ action: "cancel", all: true });
    const page = await api.call("GET", `/v1/operations?after=${after}`, caller.live);
    expect(page.body).toMatchObject({ total: 5, offset: 2 });
    expect(page.body.items.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2));
    const ofSchedules = writeCursor({ order: "fire_at", atMs: 0, id: uuid(second), attempt: 0, rowsBefore: 2 });
    expect(await api.call("GET", `/v1/operations?after=${ofSchedules}`, caller.live)).toMatchObject({ status: 400 });
  });

  it("shows nothing of another account or environment, and stops nothing there", async () => {
    await api.create(caller.live);
    const { body } = await start({ action: "cancel", all: true });
    const other = await api.account();
    for (const key of [caller.test, other.live]) {
      expect((await api.call("GET", "/v1/operations", key)).body.total).toBe(0);
      expect(await api.call("GET", `/v1/operations/${body.id}`, key)).toMatchObject({ status: 404 });
      expect(await api.call("POST", `/v1/operations/${body.id}/stop`, key)).toMatchObject({ status: 404 });
    }
    expect((await api.call("GET", `/v1/operations/${body.id}`, caller.live)).body.status).toBe("running");
  });
});
