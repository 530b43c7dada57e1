import fc from "fast-check";
import type postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { decodeId, encodeId, newId } from "#domain/ids.ts";
import { openRequest, unpackRequest } from "#domain/sealed-request.ts";
import { untilWaiting } from "../../helpers/until-waiting.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { waitingForLock } from "../../helpers/waiting-for-lock.ts";
import { type Api, FUTURE, persist, startApi, TARGET, type TestCaller } from "./api.ts";

let api: Api;
let caller: TestCaller;

beforeAll(async () => {
  api = await startApi({
    PLANS:
      '{"free":{"monthlyQuota":100,"testMonthlyQuota":10,"requestsPerMinute":100000},"indie":{"monthlyQuota":1000000}}',
  });
});
afterAll(() => api.stop());
beforeEach(async () => {
  caller = await api.account();
});

const PAST = "2020-01-01T00:00:00Z";
const valid = { targetUrl: TARGET, fireAt: FUTURE };
const bulk = (schedules: unknown, headers?: Record<string, string>, key = caller.live) =>
  api.call("POST", "/v1/schedules/bulk", key, { schedules }, headers);
const many = (count: number, fields: (n: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, n) => ({ ...valid, ...fields(n) }));
const bulkBody = (schedules: unknown) => JSON.stringify({ schedules });
const indexes = (list: { index: number }[]) => list.map(({ index }) => index);
const uuid = (id: string) => decodeId("sch", id) as string;
const fillMonth = (scheduled: number) =>
  api.sql`INSERT INTO usage VALUES (${caller.accountId}, 'live', to_char(now() AT TIME ZONE 'utc', 'YYYYMM'), ${scheduled})`;

/** The number of bulk calls that wait for a lock. */
const waiting = () => waitingForLock(api.sql, "create_schedules");

async function stored(): Promise<{ schedules: number; requests: number; used: number }> {
  const own = "WHERE account_id = $1";
  const [row] = await api.sql.unsafe(
    `SELECT (SELECT count(*)::int FROM schedules ${own}) AS schedules,
       (SELECT count(*)::int FROM schedule_requests ${own}) AS requests,
       coalesce((SELECT sum(scheduled)::int FROM usage ${own}), 0) AS used`,
    [caller.accountId],
  );
  return row as never;
}

describe("POST /v1/schedules/bulk 200", () => {
  it("returns exactly index, id, fire_at and status for each stored schedule", async () => {
    const answer = await bulk([valid, { ...valid, fireAt: "2031-01-01T00:00:00.0001Z" }]);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      accepted: [
        { index: 0, id: expect.stringMatching(/^sch_/), fire_at: FUTURE, status: "scheduled" },
        { index: 1, id: expect.stringMatching(/^sch_/), fire_at: "2031-01-01T00:00:00.001Z", status: "scheduled" },
      ],
      rejected: [],
    });
    expect(await stored()).toEqual({ schedules: 2, requests: 2, used: 2 });
  });

  it("stores every field of each item as a single create does", async () => {
    const item = {
      targetUrl: `https://EXAMPLE.com:443/a?b='{",}#x`,
      fireAt: "9999-12-31T23:59:59.999Z",
      payload: "NUL \0, quotes \" ' \\, \u20ac, {NULL}, \u{1F600}",
      method: "PUT",
      headers: { "X-A": 'a "b" \\ , {}', __proto__x: "y" },
      idempotencyKey: 'k "\\ {},NULL \u{1F600}',
      earlyFire: true,
    };
    const single = await api.call("POST", "/v1/schedules", caller.live, { ...item, idempotencyKey: "single" });
    const answer = await bulk([item, { ...valid, idempotencyKey: "NULL" }]);
    expect(answer.body.rejected).toEqual([]);

    const ids = [single.body.id, answer.body.accepted[0].id];
    const [one, other] = await Promise.all(
      ids.map(async (id) => (await api.call("GET", `/v1/schedules/${id}`, caller.live)).body),
    );
    const { id, created_at, updated_at, ...rest } = other;
    expect(one).toMatchObject(rest);
    expect(rest).toMatchObject({ target_url: "https://example.com/a?b=%27{%22,}", method: "PUT", early_fire: true });
    const rows =
      await api.sql`SELECT s.sealed_bytes, s.shard, s.origin, octet_length(r.sealed) AS size, r.sealed, r.schedule_id,
        r.idempotency_key
      FROM schedules s JOIN schedule_requests r ON r.schedule_id = s.id WHERE s.id = ANY(${ids.map(uuid)}) ORDER BY s.id`;
    const [a, b] = rows;
    expect([b?.shard, b?.origin, b?.sealed_bytes]).toEqual([a?.shard, a?.origin, b?.size]);
    expect(b?.idempotency_key).toBe(item.idempotencyKey);
    const plaintext = unpackRequest(
      openRequest(api.config.keyRing, b?.sealed, {
        accountId: caller.accountId,
        env: "live",
        id: b?.schedule_id,
        method: rest.method,
        targetUrl: rest.target_url,
      }),
    );
    expect(plaintext.payload.toString()).toBe(item.payload);
    expect(plaintext.headers).toEqual(Object.entries(item.headers));
  });

  it("rejects each kind of bad item with its code and a message that names the path, and stores the good ones", async () => {
    const items: [unknown, string?, RegExp?][] = [
      [null, "VALIDATION", /object/],
      [1, "VALIDATION", /object/],
      ["x", "VALIDATION", /object/],
      [[], "VALIDATION", /object/],
      [{}, "VALIDATION", /targetUrl is required/],
      [valid],
      [{ ...valid, fireAt: PAST }, "VALIDATION", /^fireAt must be in the future/],
      [{ ...valid, fireAt: "tomorrow" }, "VALIDATION", /^fireAt/],
      [{ ...valid, targetUrl: "https://10.0.0.1/" }, "VALIDATION", /^targetUrl/],
      [{ ...valid, targetUrl: "https://example.com/\0" }, "VALIDATION", /^targetUrl/],
      [{ ...valid, payload: "a".repeat(51_201) }, "PAYLOAD_TOO_LARGE", /51200 bytes/],
      [{ ...valid, payload: "a\ud800" }, "VALIDATION", /^payload/],
      [{ ...valid, headers: { Host: "x" } }, "VALIDATION", /^headers.Host is reserved/],
      [{ ...valid, idempotencyKey: "" }, "VALIDATION", /^idempotencyKey/],
      [{ ...valid, extra: 1 }, "VALIDATION", /^extra/],
      [{ ...valid, idempotencyKey: "twice" }],
      [{ ...valid, idempotencyKey: "twice" }, "CONFLICT", /idempotencyKey/],
      [{ ...valid, earlyFire: false }],
    ];
    const { body } = await bulk(items.map(([item]) => item));
    const bad = items.flatMap(([, code, message], index) => (code ? [{ index, code, message }] : []));
    expect(body.rejected).toEqual(
      bad.map(({ index, code, message }) => ({ index, code, message: expect.stringMatching(message as RegExp) })),
    );
    expect(indexes(body.accepted)).toEqual([5, 15, 17]);
    expect(await stored()).toEqual({ schedules: 3, requests: 3, used: 3 });
  });

  it("stores nothing and counts nothing when every item is bad", async () => {
    const { body } = await bulk([{}, { ...valid, fireAt: PAST }]);
    expect([body.accepted, indexes(body.rejected)]).toEqual([[], [0, 1]]);
    expect(await stored()).toEqual({ schedules: 0, requests: 0, used: 0 });
  });

  it("applies the account's default for early fire, and an item's own value before it", async () => {
    await api.sql`INSERT INTO relay_settings (account_id, early_fire) VALUES (${caller.accountId}, true)`;
    const { body } = await bulk([valid, { ...valid, earlyFire: false }]);
    const rows =
      await api.sql`SELECT early_fire FROM schedules WHERE id = ANY(${body.accepted.map((item: { id: string }) => uuid(item.id))})
      ORDER BY id`;
    expect(rows.map((row) => row.early_fire)).toEqual([true, false]);
  });

  it("stores the largest batch of the largest plan, and respects quota and idempotency keys across its statements", async () => {
    const indie = await api.account("indie");
    const known = await api.create(indie.live, { idempotencyKey: "k499" });
    await api.sql`UPDATE usage SET scheduled = 1099900 WHERE account_id = ${indie.accountId}`;
    const items = many(500, (n) => ({ payload: "\u20ac".repeat(20_000), idempotencyKey: `k${n}` }));
    const { body } = await bulk(items, {}, indie.live);
    expect(indexes(body.accepted)).toEqual([...Array(100).keys(), 499]);
    expect(body.accepted[100].id).toBe(known);
    expect(new Set(body.rejected.map(({ code }: { code: string }) => code))).toEqual(new Set(["QUOTA_EXCEEDED"]));
  });

  it("or 429 or 503 with Retry-After answers each of many large batches at once, while single creates go on", async () => {
    const indie = await api.account("indie");
    const large = bulkBody(many(500, () => ({ payload: "a".repeat(60_000) })));
    const batches = Array.from({ length: 5 }, () => api.call("POST", "/v1/schedules/bulk", indie.live, large));
    const creates: number[] = [];
    for (let n = 0; n < 20; n++) creates.push((await api.call("POST", "/v1/schedules", caller.live, valid)).status);
    expect(creates).toEqual(Array(20).fill(201));
    let accepted = 0;
    for (const { status, body, headers } of await Promise.all(batches)) {
      if (status === 429 || status === 503) expect(headers.get("retry-after")).toMatch(/^\d+$/);
      else expect([status, body.accepted.length]).toEqual([200, 500]);
      accepted += body.accepted?.length ?? 0;
    }
    const [row] = await api.sql`SELECT count(*)::int AS n FROM schedules WHERE account_id = ${indie.accountId}`;
    expect([accepted > 0, row?.n]).toEqual([true, accepted]);
  });
});

describe("the order of validation of each item", () => {
  it("is syntax, known key, time, target, size, quota", async () => {
    await bulk([{ ...valid, idempotencyKey: "known" }]);
    await api.sql`UPDATE usage SET scheduled = 110 WHERE account_id = ${caller.accountId}`;
    const tooLarge = { ...valid, payload: "a".repeat(60_000) };
    const blocked = { ...tooLarge, targetUrl: "https://10.0.0.1/" };
    const { body } = await bulk([
      { ...blocked, fireAt: PAST, idempotencyKey: "known", extra: 1 },
      { ...blocked, fireAt: PAST },
      blocked,
      tooLarge,
      valid,
    ]);
    const found = body.rejected.map(({ code, message }: { code: string; message: string }) => [
      code,
      message.split(" ")[0],
    ]);
    expect(found.slice(0, 4)).toEqual([
      ["VALIDATION", "extra"],
      ["VALIDATION", "fireAt"],
      ["VALIDATION", "targetUrl"],
      ["PAYLOAD_TOO_LARGE", "payload"],
    ]);
    expect(body.rejected[4].code).toBe("QUOTA_EXCEEDED");
    expect((await bulk([{ ...blocked, fireAt: PAST, idempotencyKey: "known" }])).body.accepted).toHaveLength(1);
  });
});

describe("a bulk call", () => {
  const anyItem = fc.record({
    fireAt: fc.constantFrom(FUTURE, FUTURE, FUTURE, PAST),
    targetUrl: fc.constantFrom(TARGET, TARGET, "https://10.0.0.1/"),
    payload: fc.constantFrom("a", "a", "a".repeat(60_000)),
    idempotencyKey: fc.constantFrom(undefined, undefined, "known", "k1", "k2"),
    earlyFire: fc.constantFrom(undefined, true, 1),
  });

  it("has the same effect as single creates of its items, one after the other", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyItem, { minLength: 1, maxLength: 8 }), fc.nat(4), async (items, room) => {
        caller = await api.account();
        const [together, alone] = [caller, await api.account()];
        for (const { accountId, live } of [together, alone]) {
          await api.create(live, { idempotencyKey: "known" });
          await api.sql`UPDATE usage SET scheduled = ${110 - room} WHERE account_id = ${accountId}`;
        }
        const { accepted, rejected } = (await bulk(items)).body;
        const codes: string[] = [];
        for (const { index } of accepted) codes[index] = "accepted";
        for (const { index, code } of rejected) codes[index] = code;

        const seen = new Set<string | undefined>([undefined]);
        for (const [index, item] of items.entries()) {
          const { status, body } = await api.call("POST", "/v1/schedules", alone.live, item);
          const isFirst = !seen.has(item.idempotencyKey) || item.idempotencyKey === undefined;
          const single = status < 300 ? "accepted" : body.error.code;
          // In single creates a key that failed the first time may succeed the next time. In bulk it is a CONFLICT.
          expect(codes[index]).toBe(isFirst || item.earlyFire === 1 ? single : "CONFLICT");
          seen.add(item.idempotencyKey);
          if (codes[index] === "CONFLICT" && status === 201) return;
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe("idempotency keys in a bulk call", () => {
  it("that are known are accepted with the existing schedule and its status, and count nothing", async () => {
    const id = await api.create(caller.live, { idempotencyKey: "k" });
    await api.call("DELETE", `/v1/schedules/${id}`, caller.live);
    const { body } = await bulk([{ ...valid, idempotencyKey: "k" }]);
    const known = { index: 0, id, fire_at: FUTURE, status: "cancelled", replayed: true };
    expect(body).toEqual({ accepted: [known], rejected: [] });
    expect(await stored()).toEqual({ schedules: 1, requests: 1, used: 1 });
  });

  it("that are known are marked as replayed, and show whether the request differs from the stored one, as in a single create", async () => {
    const large = { payload: "a".repeat(50_000) };
    await bulk(many(99, (n) => ({ idempotencyKey: `k${n}`, ...large })));
    const again = (n: number) => (n % 3 === 0 ? {} : n % 3 === 1 ? large : { ...large, fireAt: PAST });
    const { accepted } = (await bulk([valid, ...many(99, (n) => ({ idempotencyKey: `k${n}`, ...again(n) }))])).body;
    expect(accepted).toHaveLength(100);
    expect(Object.keys(accepted[0])).toEqual(["index", "id", "fire_at", "status"]);
    for (const [n, { replayed, mismatch }] of accepted.slice(1).entries()) {
      expect({ replayed, mismatch }).toEqual({ replayed: true, mismatch: n % 3 === 1 ? undefined : true });
    }
    for (const n of [0, 1, 2]) {
      const { headers } = await api.call("POST", "/v1/schedules", caller.live, {
        ...valid,
        ...again(n),
        idempotencyKey: `k${n}`,
      });
      expect(headers.get("idempotency-mismatch")).toBe(n === 1 ? null : "true");
    }
  });

  it("that items share are validated in the first and a CONFLICT in the others, whatever the result of the first", async () => {
    const known = await api.create(caller.live, { idempotencyKey: "known" });
    const { body } = await bulk([
      { ...valid, idempotencyKey: "a" },
      { ...valid, idempotencyKey: "past", fireAt: PAST },
      { ...valid, idempotencyKey: "bad", extra: 1 },
      { ...valid, idempotencyKey: "known" },
      ...["a", "past", "bad", "known", "a", "A"].map((idempotencyKey) => ({ ...valid, idempotencyKey })),
      { ...valid, idempotencyKey: "a", extra: 1 },
    ]);
    expect(indexes(body.accepted)).toEqual([0, 3, 9]);
    expect(body.accepted[1].id).toBe(known);
    const codes = body.rejected.map(({ index, code }: { index: number; code: string }) => [index, code]);
    expect(codes).toEqual([
      [1, "VALIDATION"],
      [2, "VALIDATION"],
      ...[4, 5, 6, 7, 8].map((index) => [index, "CONFLICT"]),
      [10, "VALIDATION"],
    ]);
  });

  it("are separate for each environment and each account", async () => {
    const other = await api.account();
    for (const key of [caller.live, caller.test, other.live]) {
      const { body } = await bulk([{ ...valid, idempotencyKey: "k" }], {}, key);
      expect(body.accepted).toHaveLength(1);
    }
    expect(await stored()).toMatchObject({ schedules: 2 });
  });

  it("make one schedule each under 100 parallel bulk calls and creates that send them in different orders", async () => {
    const keys = Array.from({ length: 40 }, (_, n) => `k${n}`);
    const shuffled = (seed: number) =>
      keys.toSorted(
        (a, b) => ((a.length * 7 + Number(a.slice(1)) * seed) % 41) - ((b.length * 7 + Number(b.slice(1)) * seed) % 41),
      );
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        persist(() =>
          n % 4 === 0
            ? api.call("POST", "/v1/schedules", caller.live, { ...valid, idempotencyKey: keys[n % 40] })
            : bulk(shuffled(n).map((idempotencyKey) => ({ ...valid, idempotencyKey }))),
        ),
      ),
    );
    expect(answers.filter(({ status }) => status !== 200 && status !== 201)).toEqual([]);
    for (const answer of answers) if (answer.body.rejected) expect(answer.body.rejected).toEqual([]);
    const ids = answers.flatMap(({ body }) =>
      body.accepted ? body.accepted.map((item: { id: string }) => item.id) : [body.id],
    );
    expect(new Set(ids).size).toBe(40);
    expect(await stored()).toEqual({ schedules: 40, requests: 40, used: 40 });
  });
});

describe("at the turn of a month, when two transactions use one key without locking one row of usage,", () => {
  /** Stores a schedule as a create does that counts in another month. */
  async function storeElsewhere(tx: postgres.TransactionSql, idempotencyKey: string): Promise<string> {
    const id = newId(Date.now());
    await tx`INSERT INTO schedule_requests (schedule_id, account_id, env, target_url, method, idempotency_key, request_hash)
      VALUES (${id}, ${caller.accountId}, 'live', ${TARGET}, 'POST', ${idempotencyKey}, '')`;
    await tx`INSERT INTO schedules (id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes,
        sealed_bytes, origin)
      SELECT ${id}, id, 'live', shard, false, ${FUTURE}, ${FUTURE}, 0, 0, 'https://example.com' FROM accounts
      WHERE id = ${caller.accountId}`;
    return encodeId("sch", id);
  }

  it("the later one waits and then finds the key", async () => {
    const { id, pending } = await api.sql.begin(async (tx) => {
      const id = await storeElsewhere(tx, "k");
      const pending = bulk([{ ...valid, idempotencyKey: "k" }, valid]);
      await expect.poll(waiting).toBe(1);
      return { id, pending: { answer: pending } };
    });
    const { body } = await pending.answer;
    expect(body).toMatchObject({ accepted: [{ index: 0, id }, { index: 1 }], rejected: [] });
    expect(await stored()).toEqual({ schedules: 2, requests: 2, used: 1 });
  });

  it("a deadlock is retried", async () => {
    const deadlocks = async () => {
      const [row] = await api.sql`SELECT deadlocks::int AS n FROM pg_stat_database WHERE datname = current_database()`;
      return row?.n as number;
    };
    const before = await deadlocks();
    const { pending } = await api.sql.begin(async (tx) => {
      // PostgreSQL ends the session that finds the deadlock: that is to be the call.
      await tx`SELECT set_config('deadlock_timeout', '1h', true)`;
      await storeElsewhere(tx, "a");
      const { pending } = await api.sql.begin(async (gate) => {
        await gate`SAVEPOINT before`;
        await storeElsewhere(gate, "gate");
        // The call stores "b" and waits at the gate. Then this transaction waits for "b", then the gate opens, and then the
        // call waits for "a". The server does each by itself, since a call waits for three seconds at most.
        const storing = [tx.unsafe(untilWaiting(1)).execute(), storeElsewhere(tx, "b")];
        const opening = [gate.unsafe(untilWaiting(2)).execute(), gate`ROLLBACK TO before`.execute()];
        const all = Promise.all([...storing, ...opening]);
        const pending = bulk(["b", "gate", "a"].map((idempotencyKey) => ({ ...valid, idempotencyKey })));
        await all;
        return { pending: { answer: pending } };
      });
      return { pending };
    });
    const { body, status } = await pending.answer;
    expect([status, body]).toMatchObject([200, { rejected: [] }]);
    expect([body.accepted.length, body.rejected]).toEqual([3, []]);
    expect(await stored()).toEqual({ schedules: 3, requests: 3, used: 1 });
    await waitFor("PostgreSQL has counted the deadlock", async () => (await deadlocks()) > before);
  });
});

describe("the quota of a bulk call", () => {
  it("is checked item by item: items within it are stored in order, and the rest is QUOTA_EXCEEDED", async () => {
    await fillMonth(107);
    const { body } = await bulk([valid, { ...valid, fireAt: PAST }, valid, valid, valid]);
    expect(indexes(body.accepted)).toEqual([0, 2, 3]);
    expect(body.rejected).toMatchObject([
      { index: 1, code: "VALIDATION" },
      {
        index: 4,
        code: "QUOTA_EXCEEDED",
        message: expect.stringMatching(/^110 live schedules .* allows 100, 110 with/),
      },
    ]);
    expect(await stored()).toMatchObject({ schedules: 3, used: 110 });
  });

  it("is exact under 100 parallel bulk calls and creates", async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        persist(() => (n % 2 ? bulk(many(3)) : api.call("POST", "/v1/schedules", caller.live, valid))),
      ),
    );
    const accepted = answers.reduce(
      (sum, { body, status }) => sum + (body.accepted?.length ?? (status === 201 ? 1 : 0)),
      0,
    );
    expect(accepted).toBe(110);
    expect(await stored()).toEqual({ schedules: 110, requests: 110, used: 110 });
  });

  it("in the test environment has no grace, and does not affect live", async () => {
    const { body } = await bulk(many(12), {}, caller.test);
    expect([body.accepted.length, body.rejected.length]).toEqual([10, 2]);
    expect((await bulk([valid])).body.accepted).toHaveLength(1);
  });
});

describe("POST /v1/schedules/bulk 400", () => {
  it.each<[string, unknown, string]>([
    ["no array", {}, "schedules"],
    ["none", { schedules: [] }, "schedules"],
    ["null", { schedules: null }, "schedules"],
    ["an object instead of an array", { schedules: { 0: valid } }, "schedules"],
    ["more items than the plan allows", { schedules: Array(101).fill(valid) }, "schedules"],
    ["an unknown field", { schedules: [valid], extra: 1 }, "extra"],
    ["a bare array", [valid], ""],
  ])("rejects the whole call for %s", async (_, body, path) => {
    const answer = await api.call("POST", "/v1/schedules/bulk", caller.live, body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "VALIDATION" } } });
    expect(answer.body.error.details[0].path).toBe(path);
    expect(await stored()).toEqual({ schedules: 0, requests: 0, used: 0 });
  });

  it("rejects the whole call for an Idempotency-Key header", async () => {
    const answer = await bulk([valid], { "idempotency-key": "k" });
    expect(answer).toMatchObject({ status: 400, body: { error: { details: [{ path: "Idempotency-Key" }] } } });
    expect(await stored()).toMatchObject({ schedules: 0 });
  });

  it("rejects the whole call of an Indie account only above 500 items", async () => {
    const indie = await api.account("indie");
    expect((await bulk(many(500), {}, indie.live)).body.accepted).toHaveLength(500);
    expect(await bulk(many(501), {}, indie.live)).toMatchObject({ status: 400 });
  });
});

describe("POST /v1/schedules/bulk 401", () => {
  it("answers an account that is deactivated during the call, and stores nothing", async () => {
    const pending = await api.sql.begin(async (tx) => {
      await tx`UPDATE accounts SET status = 'deactivated' WHERE id = ${caller.accountId}`;
      const pending = bulk(many(3));
      await expect.poll(waiting).toBe(1);
      return { pending };
    });
    expect(await pending.pending).toMatchObject({ status: 401, body: { error: { code: "UNAUTHORIZED" } } });
    expect(await stored()).toEqual({ schedules: 0, requests: 0, used: 0 });
  });
});

describe("the dispatchers get", () => {
  it("one NOTIFY for a bulk call, with the earliest schedule that is due soon and the number of such schedules", async () => {
    const notifications: string[] = [];
    const listener = await api.sql.listen("stopwatch_due", (payload) => notifications.push(payload));
    const soon = new Date(Date.now() + 5_000).toISOString();
    await bulk(many(3));
    const one = await bulk([valid, { ...valid, fireAt: soon }]);
    const several = await bulk(many(3, () => ({ fireAt: soon })));
    await api.sql.notify("stopwatch_due", "end");
    await expect.poll(() => notifications).toContain("end");
    await listener.unlisten();
    const [row] = await api.sql`SELECT shard FROM accounts WHERE id = ${caller.accountId}`;
    const earliest = several.body.accepted.map(({ id }: { id: string }) => uuid(id)).toSorted()[0];
    const notice = (id: string, count: number) =>
      `${row?.shard}:${id}:${caller.accountId}:live:${Date.parse(soon)}:${count}`;
    expect(notifications).toEqual([notice(uuid(one.body.accepted[1].id), 1), notice(earliest, 3), "end"]);
  });
});
