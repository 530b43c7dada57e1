import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeCursor } from "#contract/inputs/cursor.ts";
import { filterDigest } from "#contract/inputs/filter-digest.ts";
import { decodeId, encodeId, newId } from "#domain/ids.ts";
import { type Api, FUTURE, startApi, TARGET, type TestCaller, type TestSession } from "./api.ts";

let api: Api;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

async function list(caller: TestCaller, query = "") {
  const answer = await api.call("GET", `/v1/schedules${query}`, caller.live);
  expect(answer.status).toBe(200);
  return { ...answer.body, ids: answer.body.items.map((item: { id: string }) => item.id), headers: answer.headers };
}

async function fill(caller: TestCaller, count: number, targetUrl = "https://example.com/hook"): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    ids.unshift(
      await api.create(caller.live, { targetUrl, fireAt: `2031-01-01T00:00:${String(i).padStart(2, "0")}Z` }),
    );
  }
  return ids;
}

/** Stores many schedules at once, beyond the quota. The first one is the oldest. */
async function stuff(caller: TestCaller, count: number) {
  const ids = Array.from({ length: count }, () => newId(Date.now()));
  const [start] = await api.sql`SELECT shard FROM accounts WHERE id = ${caller.accountId}`;
  await api.sql`INSERT INTO schedules (id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes,
      sealed_bytes, origin, created_at)
    SELECT id, ${caller.accountId}, 'live', ${start?.shard}, false, '2031-01-01', '2031-01-01', 0, 0,
      'https://example.com', '2026-01-01'::timestamptz + n * interval '1 ms'
    FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS u(id, n)`;
  await api.sql`INSERT INTO schedule_requests (schedule_id, account_id, env, target_url, method, request_hash, created_at)
    SELECT id, ${caller.accountId}, 'live', CASE n WHEN 1 THEN 'https://example.com/~' ELSE 'https://example.com/' END,
      'POST', '', '2026-01-01'::timestamptz + n * interval '1 ms'
    FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS u(id, n)`;
  await api.sql`INSERT INTO usage VALUES (${caller.accountId}, 'live', '202601', ${count})`;
  return ids;
}

describe("a page of the list", () => {
  it("shows the newest first, 20 at a time, and the pages add up to the whole without gap or repetition", async () => {
    const caller = await api.account();
    const ids = await fill(caller, 25);
    const first = await list(caller);
    expect(first).toMatchObject({ total: 25, limit: 20, offset: 0, ids: ids.slice(0, 20) });
    expect(Object.keys(first)).not.toContain("total_capped");
    const second = await list(caller, "?offset=20");
    expect(second).toMatchObject({ total: 25, limit: 20, offset: 20, ids: ids.slice(20) });
    expect(await list(caller, "?offset=25")).toMatchObject({ total: 25, ids: [] });
  });

  it("reduces a limit above 100 to 100 and says so", async () => {
    expect(await list(await api.account(), "?limit=101")).toMatchObject({ limit: 100, total: 0, items: [] });
  });

  it("links to its neighbours at the public address with the query unchanged", async () => {
    const caller = await api.account();
    await fill(caller, 5);
    const link = async (query: string) => (await list(caller, query)).headers.get("link");
    expect(await link("?limit=5")).toBeNull();
    expect(await link("?limit=2&q=hook")).toBe(
      '<https://api.example.com/v1/schedules?limit=2&q=hook&offset=2>; rel="next"',
    );
    expect(await link("?limit=2&offset=3")).toBe('<https://api.example.com/v1/schedules?limit=2&offset=1>; rel="prev"');
    expect(await link("?limit=1&offset=1")).toMatch(/offset=2>; rel="next", .*offset=0>; rel="prev"$/);
  });
});

describe("a filter", () => {
  it("sorts by fire_at in either direction", async () => {
    const caller = await api.account();
    const ids = await fill(caller, 3);
    expect((await list(caller, "?sort=-fire_at")).ids).toEqual(ids);
    expect((await list(caller, "?sort=fire_at")).ids).toEqual(ids.toReversed());
  });

  it("limits fire_at by from (inclusive) and to (exclusive)", async () => {
    const caller = await api.account();
    const ids = await fill(caller, 4);
    const found = await list(caller, "?from=2031-01-01T00:00:01Z&to=2031-01-01T01:00:03%2B01:00");
    expect(found).toMatchObject({ total: 2, ids: [ids[1], ids[2]] });
  });

  it("accepts one status or several", async () => {
    const caller = await api.account();
    const [cancelled, ...others] = await fill(caller, 3);
    await api.call("DELETE", `/v1/schedules/${cancelled}`, caller.live);
    expect((await list(caller, "?status=cancelled")).ids).toEqual([cancelled]);
    expect((await list(caller, "?status=scheduled")).ids).toEqual(others);
    expect((await list(caller, "?status=cancelled,scheduled,scheduled")).total).toBe(3);
    expect((await list(caller, "?status=dead")).total).toBe(0);
  });

  it("finds a substring of the target URL in any letter case, with %, _ and \\ taken literally", async () => {
    const caller = await api.account();
    const [plain] = await fill(caller, 1, "https://example.com/Orders/a1b");
    const [percent] = await fill(caller, 1, "https://example.com/100%25_done");
    expect((await list(caller, "?q=oRDERS")).ids).toEqual([plain]);
    expect((await list(caller, "?q=%25")).ids).toEqual([percent]);
    expect((await list(caller, "?q=_")).ids).toEqual([percent]);
    expect((await list(caller, "?q=a_b")).ids).toEqual([]);
    expect((await list(caller, "?q=100%25%25")).ids).toEqual([]);
    expect((await list(caller, "?q=%5C")).ids).toEqual([]);
    expect((await list(caller, "?q=e")).total).toBe(2);
  });

  it("searches for the target as it was typed, though it is stored and sent encoded", async () => {
    const caller = await api.account();
    const typed = "https://Bücher.example.com:443/a/./größe?x=ä#part";
    const id = await api.create(caller.live, { targetUrl: typed, fireAt: FUTURE });
    await api.create(caller.live, { targetUrl: "https://example.com/a/", fireAt: FUTURE });
    for (const q of [typed, "bücher.example.com", "Bücher.example.com:443/a", "größe", "/größe?x=ä"])
      expect((await list(caller, `?q=${encodeURIComponent(q)}`)).ids, q).toEqual([id]);
  });

  it("finds a whole schedule id, and no part of one", async () => {
    const caller = await api.account();
    const [id] = await fill(caller, 2);
    expect((await list(caller, `?q=${id}`)).ids).toEqual([id]);
    expect((await list(caller, `?q=${id?.slice(0, -1)}`)).ids).toEqual([]);
  });
});

describe("the total", () => {
  it("counts what a recurrence took back, which no longer counts in the quota", async () => {
    const caller = await api.account();
    const path = "/v1/recurrences/k";
    for (const payload of ["1", "2", "3"])
      await api.call("PUT", path, caller.live, { cron: "@yearly", targetUrl: TARGET, payload });
    expect((await api.call("GET", "/v1/usage", caller.live)).body.scheduled).toBe(1);
    expect((await list(caller, "?limit=1")).total).toBe(3);
    await api.call("DELETE", path, caller.live);
    expect((await list(caller, "?limit=1")).total).toBe(3);
    await api.sql`DELETE FROM schedule_requests WHERE account_id = ${caller.accountId}`;
    expect((await list(caller, "?limit=1")).total).toBe(0);
  });

  it("is exact without filters, and capped at 10,000 with a filter", async () => {
    const caller = await api.account();
    await stuff(caller, 10_001);
    const all = await list(caller, "?offset=10000");
    expect([all.total, all.total_capped, all.ids.length]).toEqual([10_001, undefined, 1]);
    expect(await list(caller, "?status=scheduled&limit=1")).toMatchObject({ total: 10_000, total_capped: true });
    expect(await list(caller, "?q=example&limit=1")).toMatchObject({ total: 10_000, total_capped: true });
    expect((await list(caller, "?q=com/~")).total).toBe(1);
  });

  it("of a short q covers the newest 10,000 rows", async () => {
    const caller = await api.account();
    await stuff(caller, 10_001);
    expect(await list(caller, "?q=~")).toMatchObject({ total: 0, total_capped: true });
    await api.sql`DELETE FROM schedule_requests WHERE schedule_id = (SELECT schedule_id FROM schedule_requests
      WHERE account_id = ${caller.accountId} ORDER BY created_at DESC LIMIT 1)`;
    const whole = await list(caller, "?q=~");
    expect([whole.total, whole.total_capped]).toEqual([1, undefined]);
  });
});

const nextOf = (headers: Headers) =>
  /<https:\/\/api\.example\.com([^>]*)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
const query = (path: string) => path.slice(path.indexOf("?"));

describe("the link rel=next", () => {
  it("has an offset up to the highest offset, and a cursor from there on", async () => {
    const caller = await api.account();
    await stuff(caller, 10_050);
    const link = async (asked: string) => (await list(caller, asked)).headers.get("link");
    expect(await link("?limit=10&offset=9990")).toContain('offset=10000>; rel="next"');
    expect(await link("?limit=10&offset=9991&status=scheduled")).toMatch(
      /\?limit=10&status=scheduled&after=[\w-]+>; rel="next", .*offset=9981&status=scheduled>; rel="prev"$/,
    );
    const first = await list(caller, "?limit=30&offset=10000");
    const second = await list(caller, query(nextOf(first.headers) ?? ""));
    expect(second).toMatchObject({ total: 10_050, limit: 30, offset: 10_030 });
    expect(second.ids).toHaveLength(20);
    expect(second.headers.get("link")).toBeNull();
  });

  it.each(["sort=-created_at", "sort=fire_at", "sort=-fire_at", "status=scheduled,dead", "q=example"])(
    "leads to every row once, with ?%s, while others are created",
    async (asked) => {
      const caller = await api.account();
      const ids = await stuff(caller, 10_500);
      const seen: string[] = [];
      for (let next: string | undefined = `?limit=100&offset=10000&${asked}`; next; ) {
        const page = await list(caller, query(next));
        seen.push(...page.ids);
        next = nextOf(page.headers);
        if (next === undefined) break;
        expect(next).not.toContain("offset=");
        // One row before the current place of the walk and one behind it.
        for (const fireAt of ["2030-06-01T00:00:00Z", "2031-06-01T00:00:00Z"])
          await api.create(caller.live, { fireAt });
      }
      const walked = (asked === "sort=fire_at" ? ids : ids.toReversed()).slice(10_000).map((id) => encodeId("sch", id));
      const old = new Set(walked);
      expect(seen.filter((id) => old.has(id))).toEqual(walked);
      expect(new Set(seen).size).toBe(seen.length);
    },
  );
});

describe("next_cursor", () => {
  const walk = async (path: string, caller: string | TestSession, onPage: () => Promise<unknown> = async () => {}) => {
    const pages: { items: unknown[]; offset: number; next_cursor: string | null }[] = [];
    for (let after = ""; ; ) {
      const { status, body } = await api.call("GET", `${path}${after && `&after=${after}`}`, caller);
      expect(status).toBe(200);
      pages.push(body);
      if (body.next_cursor === null) return pages;
      after = body.next_cursor;
      await onPage();
    }
  };

  it.each(["sort=-created_at", "sort=fire_at", "sort=-fire_at", "status=scheduled", "q=hook", `from=${FUTURE}`])(
    "leads from the first page to every row once, with ?%s, while others are created and cancelled",
    async (asked) => {
      const caller = await api.account();
      const ids = await fill(caller, 7);
      const [gone = ""] = ids.splice(4, 1);
      const pages = await walk(`/v1/schedules?limit=2&${asked}`, caller.live, async () => {
        await api.call("DELETE", `/v1/schedules/${gone}`, caller.live);
        for (const fireAt of ["2031-01-01T00:00:00Z", "2032-01-01T00:00:00Z"])
          await api.create(caller.live, { fireAt });
      });
      const seen = pages.flatMap(({ items }) => items.map((item) => (item as { id: string }).id));
      expect(seen.filter((id) => ids.includes(id))).toEqual(asked === "sort=fire_at" ? ids.toReversed() : ids);
      expect(new Set(seen).size).toBe(seen.length);
      expect(pages.map(({ offset }) => offset)).toEqual(pages.map((_, n) => 2 * n));
    },
  );

  it("is null on a page that ends with the last row, and on an empty one", async () => {
    const caller = await api.account();
    await fill(caller, 4);
    expect((await list(caller, "?limit=4")).next_cursor).toBeNull();
    expect((await list(caller, "?limit=3&offset=1")).next_cursor).toBeNull();
    expect((await list(caller, "?limit=3&offset=9")).next_cursor).toBeNull();
    expect((await list(caller, "?status=dead")).next_cursor).toBeNull();
    expect((await list(caller, "?limit=3")).next_cursor).toEqual(expect.any(String));
  });

  it("continues after a page that was found by offset", async () => {
    const caller = await api.account();
    const ids = await fill(caller, 5);
    const { next_cursor } = await list(caller, "?limit=2&offset=1");
    expect(await list(caller, `?limit=2&after=${next_cursor}`)).toMatchObject({ offset: 3, ids: ids.slice(3) });
  });

  it("leads to every row of the log, of the operations and of the security log as well", async () => {
    const caller = await api.account();
    const [id = ""] = await fill(caller, 1);
    await api.sql`INSERT INTO attempts (schedule_id, attempt, attempted_at, account_id, env, outcome, status_code, latency_ms, error_text)
      SELECT ${decodeId("sch", id)}, n, now() - interval '1 minute', ${caller.accountId}, 'live', 'delivered', 200, 1, ''
      FROM generate_series(1, 5) n`;
    for (let n = 0; n < 5; n++) await api.call("POST", "/v1/operations", caller.live, { action: "cancel", all: true });
    for (let n = 0; n < 5; n++) await api.call("POST", "/v1/signing-secrets/rotate", caller.live);
    const session = await api.session(caller.accountId);
    for (const [path, credential] of [
      ["/v1/logs?limit=2", caller.live],
      ["/v1/operations?limit=2", caller.live],
      ["/v1/me/events?limit=2", session],
    ] as const) {
      const pages = await walk(path, credential);
      const rows = pages.flatMap(({ items }) => items.map((item) => JSON.stringify(item)));
      expect(pages.length, path).toBeGreaterThanOrEqual(3);
      expect(new Set(rows).size, path).toBe(rows.length);
      const whole = await api.call("GET", path.replace("limit=2", "limit=100"), credential);
      expect(rows, path).toEqual(whole.body.items.map((item: unknown) => JSON.stringify(item)));
    }
  });
});

describe("the link rel=prev", () => {
  it("never points behind the last row", async () => {
    const caller = await api.account();
    expect((await list(caller, "?offset=20")).headers.get("link")).toBeNull();
    const ids = await fill(caller, 5);
    const behind = await list(caller, "?limit=2&offset=9000");
    expect(behind.ids).toEqual([]);
    expect(behind.headers.get("link")).toBe('<https://api.example.com/v1/schedules?limit=2&offset=3>; rel="prev"');
    expect((await list(caller, "?limit=2&offset=3")).ids).toEqual(ids.slice(3));
    expect((await list(caller, "?limit=20&offset=5")).headers.get("link")).toMatch(/offset=0>; rel="prev"$/);
    expect((await list(caller, "?limit=2&offset=40&status=dead")).headers.get("link")).toBeNull();
  });
});

describe("the parameter after", () => {
  const refused = async (asked: string) => {
    const answer = await api.call("GET", asked, (await api.account()).live);
    expect(answer.status).toBe(400);
    return answer.body.error.details;
  };
  const at = (fields: object) =>
    writeCursor({
      order: "-created_at",
      atMs: Date.now(),
      id: newId(Date.now()),
      attempt: 0,
      rowsBefore: 1,
      filter: filterDigest({}),
      ...fields,
    });

  it("is refused unless it is from a link, in a list with the same sort, and without offset", async () => {
    for (const after of ["x", "AAAA", `${at({})}=`, at({ atMs: 10 ** 15 }), at({ id: "x" }), at({ attempt: -1 })]) {
      const message = 'must be copied unchanged from next_cursor or a rel="next" link';
      expect(await refused(`/v1/schedules?after=${encodeURIComponent(after)}`)).toEqual([{ path: "after", message }]);
    }
    const elsewhere = "belongs to another list or another sort order";
    expect(await refused(`/v1/schedules?sort=fire_at&after=${at({})}`)).toEqual([
      { path: "after", message: elsewhere },
    ]);
    expect(await refused(`/v1/logs?after=${at({})}`)).toEqual([{ path: "after", message: elsewhere }]);
    const together = "cannot be combined with offset";
    expect(await refused(`/v1/schedules?offset=1&after=${at({})}`)).toEqual([{ path: "after", message: together }]);
  });

  it("is refused with other filters than those of its page, however they are written", async () => {
    const caller = await api.account();
    await fill(caller, 3);
    const cursorOf = async (asked: string) => (await list(caller, `?limit=1&${asked}`)).next_cursor;
    const answer = (asked: string) => api.call("GET", `/v1/schedules?${asked}`, caller.live);
    const cursor = await cursorOf("status=scheduled,dead&from=2030-01-01T00:00:00Z");
    for (const same of [
      "status=scheduled,dead&from=2030-01-01T00:00:00Z",
      "status=dead,scheduled,dead&from=2030-01-01T01:00:00%2B01:00",
    ])
      expect((await answer(`${same}&limit=2&after=${cursor}`)).body.items).toHaveLength(2);
    for (const other of [
      "",
      "status=scheduled",
      "status=scheduled,dead",
      "q=hook&status=scheduled,dead&from=2030-01-01T00:00:00Z",
    ]) {
      const refusal = await answer(`${other}&after=${cursor}`);
      const details = [{ path: "after", message: "belongs to other filters" }];
      expect(refusal).toMatchObject({ status: 400, body: { error: { code: "VALIDATION", details } } });
    }
    const unfiltered = await cursorOf("");
    expect((await answer(`status=scheduled&after=${unfiltered}`)).status).toBe(400);
    expect((await answer(`after=${at({ filter: undefined })}`)).status).toBe(400);
    expect((await answer(`after=${unfiltered}`)).status).toBe(200);
  });

  it("from another account's link shows only the caller's own rows", async () => {
    const [caller, other] = [await api.account(), await api.account()];
    const [id] = await fill(caller, 1);
    await fill(other, 1);
    expect((await list(caller, `?after=${at({ atMs: Date.now() + 60_000 })}`)).ids).toEqual([id]);
  });
});
