// Guards: db/queries/search/**, db/queries/schedules/**, db/queries/attempts/**, db/migrations/**
import { sql as dsql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sql } from "#db/client.ts";
import type { Db } from "#db/orm.ts";
import type { AttemptSearch } from "#db/queries/search/attempt-search.ts";
import { listAttempts } from "#db/queries/search/list-attempts.ts";
import { listPage, listSchedules } from "#db/queries/search/list-schedules.ts";
import { runPass } from "#db/queries/search/passes.ts";
import type { ScheduleSearch } from "#db/queries/search/schedule-search.ts";
import { isTerminal, type ScheduleStatus, STATUSES } from "#domain/states.ts";
import { rowsReadBy } from "../../bench/reads.ts";
import { BIG_ACCOUNT, NEEDLE_MARK, OLD_MARK, OPERATION, seedReads, THIN_MARK } from "../../bench/reads-seed.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";
import { pairwise } from "../../helpers/pairwise.ts";
import { nodesOf, watchStatements } from "../../helpers/statements.ts";

const TENANT = { accountId: BIG_ACCOUNT, env: "live" } as const;
const DAY_MS = 86_400_000;
const RETENTION_DAYS = 30;

let database: TestDatabase;
let watched: ReturnType<typeof watchStatements>;
let db: Db;
let sql: Sql;

// 30,000 schedules of one account among 60,000, enough for every kind of search pass to be used.
beforeAll(async () => {
  database = await createTestDatabase();
  watched = watchStatements(database.url);
  ({ db, sql } = watched);
  await seedReads(sql, { schedules: 60_000, accounts: 5, bigEvery: 2 });
  await sql`
    UPDATE schedule_requests SET target_url = 'https://aged.example/' || schedule_id WHERE schedule_id IN (
      SELECT schedule_id FROM schedule_requests WHERE account_id = ${BIG_ACCOUNT} ORDER BY created_at LIMIT 12000)`;
  await sql`
    UPDATE schedules s SET origin = 'https://aged.example' FROM schedule_requests r
    WHERE r.schedule_id = s.id AND target_url LIKE 'https://aged.example/%'`;
  await sql`
    UPDATE schedules SET status = 'firing', attempts = 1, claim_deadline = now() WHERE id IN (
      SELECT id FROM schedules WHERE account_id = ${BIG_ACCOUNT} AND status = 'scheduled' ORDER BY fire_at LIMIT 3)`;
  await sql`
    UPDATE schedules SET status = 'firing', attempts = attempts + 1, claim_deadline = now(), ended_at = NULL,
      next_attempt_at = now(), last_status_code = 503, last_error = 'no'
    WHERE id IN (
      SELECT s.id FROM schedules s JOIN schedule_requests r ON r.schedule_id = s.id
      WHERE r.account_id = ${BIG_ACCOUNT} AND s.status = 'succeeded' AND target_url LIKE ${`%${THIN_MARK}%`} ORDER BY fire_at DESC LIMIT 3)`;
});
afterAll(async () => {
  await watched.close();
  await database.drop();
});

const q = (text: string) => ({ text, scheduleId: null });
const ago = (days: number) => new Date(Math.floor(Date.now() / 1_000) * 1_000 - days * DAY_MS);

const OPEN = STATUSES.filter((status) => !isTerminal(status));

const SEARCHED = [
  "",
  "zzznothing",
  NEEDLE_MARK,
  THIN_MARK,
  OLD_MARK,
  "aged.example",
  "tenant0.EXAMPLE",
  "/orders/",
  "tenant=9",
];

describe("a list of schedules", () => {
  const filters: Partial<ScheduleSearch>[] = [
    {},
    { statuses: ["dead"] },
    { statuses: ["firing", "failed"] },
    { statuses: ["succeeded"] },
    { from: ago(20), to: ago(18) },
    { statuses: ["succeeded", "cancelled"], from: ago(25), to: ago(5) },
    { from: ago(-1) },
  ];

  const pages = pairwise({
    text: SEARCHED,
    filter: filters,
    sort: ["-created_at", "fire_at", "-fire_at"] as const,
    offset: [0, 40, 9_990],
  });

  it.each(SEARCHED)("for %j finds what a plain query finds, with each filter, order and page", async (text) => {
    const isOften = text !== "" && (await plainSchedules({ q: q(text) })).length > SCHEDULES_OF_INDEX;
    for (const { filter, sort, offset } of pages.filter((page) => page.text === text)) {
      const search = { sort, limit: 7, ...filter, ...(text && { q: q(text) }) };
      const page = await listSchedules(db, TENANT, { ...search, offset });
      const ids = page.rows.map(({ id }) => id);
      const isExact = !isOften || (sort === "-created_at" && Object.keys(filter).length === 0);
      const isFiltered = text !== "" || Object.keys(filter).length > 0;
      const name = JSON.stringify({ ...search, offset });
      expectPage({ ...page, ids }, await plainSchedules(search), { offset, isFiltered, isExact }, name);
    }
  });

  const pagesAlone = pairwise({
    text: SEARCHED,
    filter: filters,
    sort: ["-created_at", "fire_at", "-fire_at", "upcoming"] as const,
    at: ["first", "fortieth", "where those that have ended begin", "last", "after the last"],
  });

  it.each(SEARCHED)("for %j finds a page alone, with each filter, order and page, upcoming first too", async (text) => {
    const isOften = text !== "" && (await plainSchedules({ q: q(text) })).length > SCHEDULES_OF_INDEX;
    for (const { filter, sort, at } of pagesAlone.filter((page) => page.text === text)) {
      const search = { limit: 7, ...filter, ...(text && { q: q(text) }) };
      const expected = sort === "upcoming" ? await plainUpcoming(search) : await plainSchedules({ ...search, sort });
      const openOnes = (await plainUpcoming(search, OPEN)).length;
      const inAll = expected.length;
      const offsets = new Map([
        ["first", 0],
        ["fortieth", 40],
        ["where those that have ended begin", Math.max(openOnes - 3, 0)],
        ["last", inAll - 3],
        ["after the last", inAll + 5],
      ]);
      const offset = Math.min(Math.max(offsets.get(at) ?? 0, 0), 10_000);
      const name = JSON.stringify({ ...search, sort, offset });
      const { rows, hasMore, isBounded } = await listPage(db, TENANT, { ...search, sort, offset });
      expect({ ids: rows.map(({ id }) => id), hasMore }, name).toEqual({
        ids: expected.slice(offset, offset + (isBounded ? rows.length : 7)),
        hasMore: isBounded ?? inAll > offset + 7,
      });
      if (isBounded) expect(isOften || offset > 40, name).toBe(true);
    }
  });

  const walks = pairwise({
    text: SEARCHED,
    filter: filters,
    sort: ["-created_at", "fire_at", "-fire_at"] as const,
  });

  it.each(SEARCHED)(
    "for %j meets each match once by its cursors, with each filter and order, wherever a page ends early",
    async (text) => {
      for (const { filter, sort } of walks.filter((walk) => walk.text === text)) {
        const search = { sort, ...filter, ...(text && { q: q(text) }) };
        const walked: string[] = [];
        for (let after: ScheduleSearch["after"]; ; ) {
          const page = await listSchedules(db, TENANT, { ...search, limit: 9_000, offset: 0, after });
          walked.push(...page.rows.map(({ id }) => id));
          if (!page.hasMore) break;
          after = page.last;
        }
        expect(walked, JSON.stringify(search)).toEqual(await plainSchedules(search));
      }
    },
  );

  it("for a short q continues after any of its rows among the newest", async () => {
    const search = { sort: "fire_at" as const, offset: 0, q: q("v1") };
    const all = (await listSchedules(db, TENANT, { ...search, limit: 48 })).rows.map(({ id }) => id);
    const { last, total } = await listSchedules(db, TENANT, { ...search, limit: 41 });
    if (!last) throw new Error("there is no page");
    const page = await listSchedules(db, TENANT, { ...search, after: last, limit: 7 });
    expect([page.rows.map(({ id }) => id), page.total]).toEqual([all.slice(41), total]);
  });

  it("with each filter of the answer, alone and together, finds what a plain query finds, and its cursors meet each row once", async () => {
    const narrower: Partial<ScheduleSearch>[] = [
      { late: { fromMs: 5, toMs: null } },
      { late: { fromMs: null, toMs: 0 } },
      { late: { fromMs: 1, toMs: 3 }, statuses: ["succeeded", "dead"] },
      { host: "aged.example" },
      { host: "api.tenant0.example", code: "503" },
      { host: "api.tenant0.example", q: q(THIN_MARK) },
      { host: "nothing.example" },
      { code: "5xx", from: ago(25), to: ago(5) },
      { code: "none" },
      { code: "200", late: { fromMs: 2_000, toMs: null } },
      { operationId: OPERATION },
      { operationId: OPERATION, statuses: ["dead"], late: { fromMs: 0, toMs: null } },
      {},
    ];
    for (const filter of narrower) {
      for (const sort of ["-created_at", "fire_at", "-fire_at", "late"] as const) {
        if (sort !== "late" && Object.keys(filter).length === 0) continue;
        const search = { sort, ...filter };
        const expected = await plainSchedules(search);
        const name = JSON.stringify(search);
        for (const offset of [0, 40]) {
          const { rows, ...page } = await listSchedules(db, TENANT, { ...search, limit: 7, offset });
          expect(
            rows.map(({ id }) => id),
            name,
          ).toEqual(expected.slice(offset, offset + 7));
          expectTotal(page, expected.length, Object.keys(filter).length > 0, name);
        }
        const walked: string[] = [];
        for (let after: ScheduleSearch["after"]; walked.length < 300; ) {
          const { rows, hasMore, last } = await listSchedules(db, TENANT, { ...search, limit: 60, offset: 0, after });
          walked.push(...rows.map(({ id }) => id));
          if (!hasMore) break;
          after = last;
        }
        expect(walked, name).toEqual(expected.slice(0, walked.length));
        expect(walked.length, name).toBe(Math.min(expected.length, 300));
      }
    }
  });

  it("for a whole id finds that schedule, and schedules with the id in their target", async () => {
    const [first, second] = (await plainSchedules({ sort: "-created_at" })).slice(100, 102) as [string, string];
    const text = "sch_00000000000000000000000000";
    await sql`UPDATE schedule_requests SET target_url = ${`https://example.com/${text}`} WHERE schedule_id = ${second}`;
    const search = { sort: "-created_at", limit: 20, offset: 0, q: { text, scheduleId: first } } as const;
    const page = await listSchedules(db, TENANT, search);
    expect(page.rows.map(({ id }) => id)).toEqual([first, second]);
    expect(await listSchedules(db, { ...TENANT, env: "test" }, search)).toMatchObject({ rows: [], total: 0 });
  });

  it("does not count deleted schedules", async () => {
    const before = await listSchedules(db, TENANT, { sort: "-created_at", limit: 1, offset: 0 });
    const gone = (await plainSchedules({ statuses: ["cancelled"], sort: "fire_at" })).slice(0, 5);
    await sql`DELETE FROM schedules WHERE id = ANY (${`{${gone}}`}::text::uuid[])`;
    await sql`DELETE FROM schedule_requests WHERE schedule_id = ANY (${`{${gone}}`}::text::uuid[])`;
    const after = await listSchedules(db, TENANT, { sort: "-created_at", limit: 1, offset: 0 });
    expect(after.total).toBe(before.total - 5);
  });

  it("with a q without a trigram searches the newest 10,000", async () => {
    const page = await listSchedules(db, TENANT, { sort: "-created_at", limit: 1, offset: 0, q: q("://") });
    expect(page).toMatchObject({ total: 10_000, totalCapped: true });
  });

  async function plainUpcoming(
    search: Partial<ScheduleSearch>,
    of: readonly ScheduleStatus[] = STATUSES,
  ): Promise<string[]> {
    const wanted = of.filter((status) => search.statuses?.includes(status) ?? true);
    const open = wanted.filter((status) => !isTerminal(status));
    const ended = wanted.filter(isTerminal);
    return [
      ...(await plainSchedules({ ...search, statuses: open, sort: "fire_at" })),
      ...(await plainSchedules({ ...search, statuses: ended, sort: "-fire_at" })),
    ];
  }

  async function plainSchedules(search: Partial<ScheduleSearch>): Promise<string[]> {
    const { q, statuses, from, to, sort, late, host, code, operationId } = search;
    const order = new Map([
      ["-created_at", sql`s.created_at DESC, s.id DESC`],
      ["fire_at", sql`s.fire_at, s.id`],
      ["late", sql`s.offset_ms DESC NULLS LAST, CASE WHEN s.offset_ms IS NULL THEN s.created_at END DESC, s.id DESC`],
    ]);
    const rows = await sql`
      SELECT s.id FROM schedules s JOIN schedule_requests r ON r.schedule_id = s.id
      WHERE s.account_id = ${BIG_ACCOUNT} AND strpos(lower(r.target_url), ${q?.text.toLowerCase() ?? ""}) > 0
        AND (${statuses ? `{${statuses}}` : null}::text IS NULL OR s.status = ANY (${`{${statuses ?? []}}`}::text::text[]))
        AND s.fire_at >= ${from?.toISOString() ?? "-infinity"}::timestamptz AND s.fire_at < ${to?.toISOString() ?? "infinity"}::timestamptz
        AND (${late ? 1 : null}::integer IS NULL OR s.offset_ms >= ${late?.fromMs ?? -1e9}::bigint AND s.offset_ms <= ${late?.toMs ?? 1e9}::bigint)
        AND (${host ?? null}::text IS NULL OR r.target_url LIKE ${`https://${host}/%`})
        AND (${operationId ?? null}::uuid IS NULL OR r.operation_id = ${operationId ?? null}::uuid)
        AND (${code ?? null}::text IS NULL OR coalesce(s.last_status_code::text, s.last_error) IS NOT NULL AND ${code ?? ""} IN (
          coalesce(s.last_status_code::text, 'none'), coalesce(s.last_status_code / 100 || 'xx', 'none')))
      ORDER BY ${order.get(sort ?? "") ?? sql`s.fire_at DESC, s.id DESC`}`.values();
    return rows.map(([id]) => id);
  }
});

describe("the log", () => {
  it("with each filter, alone and together, finds what a plain query finds, and its cursors meet each row once", async () => {
    const narrower: Partial<AttemptSearch>[] = [
      { late: { fromMs: 5, toMs: null } },
      { late: { fromMs: null, toMs: 0 }, outcome: "failed" },
      { host: "aged.example" },
      { host: "api.tenant0.example", code: "503" },
      { host: "api.tenant0.example", q: q(THIN_MARK), from: ago(25), to: ago(5) },
      { code: "200", late: { fromMs: 2_000, toMs: null } },
      { code: "503" },
      { operationId: OPERATION },
      { operationId: OPERATION, outcome: "failed" },
      {},
    ];
    for (const filter of narrower) {
      for (const sort of ["-attempted_at", "late"] as const) {
        if (sort !== "late" && Object.keys(filter).length === 0) continue;
        const search = { sort, ...filter };
        const expected = await plainAttempts(search);
        const name = JSON.stringify(search);
        const idsOf = (rows: { scheduleId: string; attempt: number }[]) =>
          rows.map((row) => `${row.scheduleId} ${row.attempt}`);
        const { rows, total, totalCapped } = await listAttempts(db, TENANT, RETENTION_DAYS, {
          ...search,
          limit: 7,
          offset: 40,
        });
        expect(idsOf(rows), name).toEqual(expected.slice(40, 47));
        expectTotal({ total, totalCapped }, expected.length, Object.keys(filter).length > 0, name);
        const walked: string[] = [];
        for (let after: AttemptSearch["after"]; walked.length < 300; ) {
          const page = await listAttempts(db, TENANT, RETENTION_DAYS, { ...search, limit: 60, offset: 0, after });
          walked.push(...idsOf(page.rows));
          if (!page.hasMore) break;
          after = page.last;
        }
        expect(walked, name).toEqual(expected.slice(0, walked.length));
        expect(walked.length, name).toBe(Math.min(expected.length, 300));
      }
    }
  });

  const filters: Partial<AttemptSearch>[] = [
    {},
    { outcome: "failed" },
    { outcome: "succeeded" },
    { code: "4xx" },
    { code: "none", from: ago(20) },
    { from: ago(20), to: ago(18) },
    { outcome: "succeeded", from: ago(25), to: ago(5) },
  ];

  const pages = pairwise({ text: SEARCHED, filter: filters, offset: [0, 40, 9_990] });

  it.each(SEARCHED)("for %j finds what a plain query finds, with each filter and page", async (text) => {
    const isOften = text !== "" && (await schedulesTried(text)) > SCHEDULES_LOOKED_UP;
    for (const { filter, offset } of pages.filter((page) => page.text === text)) {
      const search = { limit: 7, ...filter, ...(text && { q: q(text) }) };
      const page = await listAttempts(db, TENANT, RETENTION_DAYS, { ...search, offset });
      const ids = page.rows.map((row) => `${row.scheduleId} ${row.attempt}`);
      const isFiltered = text !== "" || Object.keys(filter).length > 0;
      const name = JSON.stringify({ ...search, offset });
      expectPage({ ...page, ids }, await plainAttempts(search), { offset, isFiltered, isExact: !isOften }, name);
    }
  });

  it.each(SEARCHED)(
    "for %j meets each match once by its cursors, with every filter, wherever a page ends early",
    async (text) => {
      const [tried] = await plainAttempts({ outcome: "failed" });
      for (const filter of [...filters, { scheduleId: tried?.split(" ")[0] ?? "" }]) {
        const search = { ...filter, ...(text && { q: q(text) }) };
        const expected = (await plainAttempts(search)).filter((id) => id.startsWith(search.scheduleId ?? ""));
        const walked: string[] = [];
        for (let after: AttemptSearch["after"]; ; ) {
          const page = await listAttempts(db, TENANT, RETENTION_DAYS, { ...search, limit: 9_000, offset: 0, after });
          walked.push(...page.rows.map((row) => `${row.scheduleId} ${row.attempt}`));
          if (!page.hasMore) break;
          after = page.last;
        }
        expect(walked, JSON.stringify(search)).toEqual(expected);
      }
    },
  );

  async function schedulesTried(text: string): Promise<number> {
    return new Set((await plainAttempts({ q: q(text) })).map((id) => id.split(" ")[0])).size;
  }

  it("of a window that begins within an hour counts exactly", async () => {
    for (const days of [1, 7, 29]) {
      const count = async () => {
        const [row] = await sql`
          SELECT count(*)::integer AS n FROM attempts
          WHERE account_id = ${BIG_ACCOUNT} AND attempted_at > now() - ${days}::integer * interval '24 hours'`;
        return row?.n;
      };
      // Each of the three has a window of its own, and attempts leave it as time passes.
      const before = await count();
      const { total } = await listAttempts(db, TENANT, days, { limit: 1, offset: 0 });
      const after = await count();
      expect(total).toBeLessThanOrEqual(before);
      expect(total).toBeGreaterThanOrEqual(after);
    }
  });

  it("of a window finds the attempts that match q, also of a schedule whose attempts began before the window", async () => {
    const [tried] = await sql`
      SELECT extract(epoch FROM a.attempted_at + interval '5 s')::float8 * 1000 AS ms
      FROM attempts a JOIN schedule_requests r ON r.schedule_id = a.schedule_id
      WHERE a.account_id = ${BIG_ACCOUNT} AND target_url LIKE ${`%${THIN_MARK}%`} AND a.attempt = 1 AND outcome <> 'delivered'
      ORDER BY a.attempted_at LIMIT 1`;
    const between = new Date(Math.round(tried?.ms));
    for (const from of [ago(29), ago(7), between]) {
      const expected = await plainAttempts({ q: q(THIN_MARK), from });
      const days = (Date.now() - from.getTime()) / DAY_MS;
      const { rows, total } = await listAttempts(db, TENANT, days, { limit: 20, offset: 0, q: q(THIN_MARK) });
      expect(total, from.toISOString()).toBe(expected.length);
      expect(rows.map((row) => `${row.scheduleId} ${row.attempt}`)).toEqual(expected.slice(0, 20));
    }
  });

  async function plainAttempts(search: Partial<AttemptSearch>): Promise<string[]> {
    const { q, outcome, code, from, to, late, host, operationId, sort } = search;
    const rows = await sql`
      SELECT a.schedule_id || ' ' || a.attempt FROM attempts a JOIN schedule_requests r ON r.schedule_id = a.schedule_id
      WHERE a.account_id = ${BIG_ACCOUNT} AND strpos(lower(r.target_url), ${q?.text.toLowerCase() ?? ""}) > 0
        AND (${outcome ?? null}::text IS NULL OR (a.outcome = 'delivered') = ${outcome === "succeeded"})
        AND (${code ?? null}::text IS NULL OR ${code ?? ""} IN (
          coalesce(a.status_code / 100 || 'xx', 'none'), coalesce(a.status_code::text, 'none')))
        AND (${late ? 1 : null}::integer IS NULL OR floor(a.late_ms) >= ${late?.fromMs ?? -1e9}::bigint AND floor(a.late_ms) <= ${late?.toMs ?? 1e9}::bigint)
        AND (${host ?? null}::text IS NULL OR r.target_url LIKE ${`https://${host}/%`})
        AND (${operationId ?? null}::uuid IS NULL OR r.operation_id = ${operationId ?? null}::uuid)
        AND a.attempted_at >= ${from?.toISOString() ?? "-infinity"}::timestamptz AND a.attempted_at < ${to?.toISOString() ?? "infinity"}::timestamptz
      ORDER BY ${sort === "late" ? sql`a.late_ms DESC NULLS LAST` : sql`a.attempted_at DESC`}, a.schedule_id DESC, a.attempt DESC`.values();
    return rows.map(([id]) => id);
  }
});

it("a search pass for all rows or none finds nothing when its row limit leaves out a row", async () => {
  const found = (rowsMax: number) =>
    runPass<number>(
      db,
      { limit: 2, offset: 0 },
      { order: dsql`n`, key: dsql`n` },
      {
        scanned: (limit) => dsql`SELECT n FROM generate_series(1, 5) n LIMIT ${limit}`,
        rowsMax,
        isAllOrNone: true,
        isInOrder: false,
      },
    );
  expect(await found(4)).toEqual({ keys: [], found: 0, isWhole: false, isInOrder: false });
  expect(await found(5)).toEqual({ keys: [1, 2, 3], found: 5, isWhole: true, isInOrder: false });
});

// The rows that a page and its total may read, however many match: 10,101 decide both, and one search pass may find too
// few.
const ROWS_MAX = 25_001;

describe("a page", () => {
  const reads: [string, () => Promise<unknown>][] = [
    ...(["-created_at", "fire_at", "-fire_at"] as const).flatMap((sort): [string, () => Promise<unknown>][] =>
      [{}, { statuses: ["succeeded" as const] }, { from: ago(20) }, { q: q("tenant0") }].map((filter) => [
        `schedules behind a row, ${JSON.stringify({ sort, ...filter })}`,
        () => listSchedules(db, TENANT, { sort, limit: 100, offset: 0, after: MIDDLE, ...filter }),
      ]),
    ),
    ...[{}, { outcome: "succeeded" as const }, { from: ago(25), to: ago(2) }, { q: q("tenant0") }].map(
      (filter): [string, () => Promise<unknown>] => [
        `log behind a row, ${JSON.stringify(filter)}`,
        () => listAttempts(db, TENANT, RETENTION_DAYS, { limit: 100, offset: 0, after: MIDDLE, ...filter }),
      ],
    ),
    ["schedules", () => listSchedules(db, TENANT, { sort: "-created_at", limit: 20, offset: 0 })],
    [
      "schedules at the highest offset",
      () => listSchedules(db, TENANT, { sort: "-fire_at", limit: 100, offset: 10_000 }),
    ],
    [
      "schedules by status",
      () => listSchedules(db, TENANT, { sort: "-created_at", limit: 20, offset: 0, statuses: ["succeeded"] }),
    ],
    ["schedules by range", () => listSchedules(db, TENANT, { sort: "fire_at", limit: 20, offset: 0, from: ago(20) })],
    ["schedules by q", () => listSchedules(db, TENANT, { sort: "-created_at", limit: 20, offset: 0, q: q("tenant0") })],
    [
      "schedules by a rare q",
      () => listSchedules(db, TENANT, { sort: "fire_at", limit: 20, offset: 0, q: q(THIN_MARK) }),
    ],
    ["log", () => listAttempts(db, TENANT, RETENTION_DAYS, { limit: 20, offset: 0 })],
    ["log at the highest offset", () => listAttempts(db, TENANT, RETENTION_DAYS, { limit: 100, offset: 10_000 })],
    ["log by outcome", () => listAttempts(db, TENANT, RETENTION_DAYS, { limit: 20, offset: 0, outcome: "succeeded" })],
    [
      "log by range",
      () => listAttempts(db, TENANT, RETENTION_DAYS, { limit: 20, offset: 0, from: ago(25), to: ago(2) }),
    ],
    ["log by q", () => listAttempts(db, TENANT, RETENTION_DAYS, { limit: 20, offset: 0, q: q("tenant0") })],
    ["log by a rare q", () => listAttempts(db, TENANT, RETENTION_DAYS, { limit: 20, offset: 0, q: q(THIN_MARK) })],
  ];

  it("without its total reads only the rows that fill it, however many match", async () => {
    const filters = [
      { statuses: ["succeeded" as const] },
      { q: q("example") },
      { statuses: ["succeeded" as const], q: q("example") },
    ];
    for (const sort of ["-created_at", "fire_at", "-fire_at", "upcoming"] as const) {
      for (const filter of filters) {
        const read = () => listPage(db, TENANT, { sort, limit: 20, offset: 0, ...filter });
        const { plans } = await watched.explainAll(await watched.of(read));
        const scans = plans.flatMap(nodesOf).filter((node) => BIG_TABLES.test(node["Relation Name"] ?? ""));
        expect(Math.max(...scans.map(rowsReadBy)), JSON.stringify({ sort, ...filter })).toBeLessThanOrEqual(2_001);
      }
    }
  });

  it.each(["as they are", "of an empty table"])(
    "reads a bounded number of rows, and scans no whole table, with statistics %s",
    async (which) => {
      await sql.unsafe(which === "as they are" ? "ANALYZE" : FORGET_STATISTICS);
      for (const [name, read] of reads) {
        const { plans } = await watched.explainAll(await watched.of(read));
        const nodes = plans.flatMap(nodesOf);
        expect(
          nodes.filter((node) => node["Node Type"] === "Seq Scan" && BIG_TABLES.test(node["Relation Name"] ?? "")),
          name,
        ).toEqual([]);
        expect(Math.max(...nodes.map(rowsReadBy)), name).toBeLessThanOrEqual(ROWS_MAX);
      }
    },
  );
});

const MIDDLE = { atMs: ago(15).getTime(), id: BIG_ACCOUNT, attempt: 1 };

it("of an unfiltered list after a row reads only its own rows, by an index", async () => {
  const after = MIDDLE;
  const reads: [RegExp, () => Promise<unknown>][] = [
    [
      /^schedule_requests_newest$/,
      () => listSchedules(db, TENANT, { sort: "-created_at", limit: 100, offset: 0, after }),
    ],
    [
      /^schedules_(by_status|firing)$/,
      () => listSchedules(db, TENANT, { sort: "fire_at", limit: 100, offset: 0, after }),
    ],
    [
      /^schedules_(by_status|firing)$/,
      () => listSchedules(db, TENANT, { sort: "-fire_at", limit: 100, offset: 0, after }),
    ],
    [/^attempts_/, () => listAttempts(db, TENANT, RETENTION_DAYS, { limit: 100, offset: 0, after })],
  ];
  for (const [index, read] of reads) {
    const { plans } = await watched.explainAll(await watched.of(read));
    const scans = plans.flatMap(nodesOf).filter((node) => BIG_TABLES.test(node["Relation Name"] ?? ""));
    const pages = scans.filter((node) => index.test(node["Index Name"] ?? ""));
    expect(pages.length).toBeGreaterThan(0);
    expect(Math.max(...scans.map(rowsReadBy))).toBeLessThanOrEqual(101);
  }
});

const BIG_TABLES = /^(schedules|schedule_requests|attempts_\d+)$/;
// As after a restore, before the first ANALYZE.
const FORGET_STATISTICS = `
  DELETE FROM pg_statistic WHERE starelid IN (SELECT oid FROM pg_class WHERE relname ~ '^(schedules|schedule_requests|attempts_[0-9]+)$')`;

/** The page and total as the contract caps them. */
function totals(found: number, isFiltered: boolean) {
  const isCapped = isFiltered && found > 10_000;
  return { total: isCapped ? 10_000 : found, isCapped };
}

/** With more matches, the index of targets is asked for too few of them, or a part of the list counts them. */
const SCHEDULES_OF_INDEX = 3_500;
/** As many in the log. */
const SCHEDULES_LOOKED_UP = 1_500;

type SeenPage = { ids: string[]; total: number; totalCapped: boolean; hasMore: boolean; isBounded?: true };

/** The page and total are exact, or those of a bounded search: the first of the page, and fewer than match. */
function expectPage(
  { ids, total, totalCapped, hasMore, isBounded }: SeenPage,
  expected: string[],
  { offset, isFiltered, isExact }: { offset: number; isFiltered: boolean; isExact: boolean },
  name: string,
) {
  const rows = expected.slice(offset, offset + (isBounded ? ids.length : 7));
  const isMore = isBounded ?? expected.length > offset + 7;
  const known = totals(expected.length, isFiltered);
  if (isExact || !totalCapped) {
    const seen = { ids, hasMore, total, isCapped: totalCapped };
    expect(seen, name).toEqual({ ids: rows, hasMore: isMore, ...known });
  } else {
    expect({ ids, hasMore }, name).toEqual({ ids: rows, hasMore: isMore });
    expect(total, name).toBeLessThanOrEqual(known.total);
  }
  if (isExact) expect(isBounded, name).toBeUndefined();
}

/** The total is exact, or that of a bounded search: fewer than match, and capped. */
function expectTotal(
  seen: { total: number; totalCapped: boolean },
  matching: number,
  isFiltered: boolean,
  name: string,
) {
  if (seen.totalCapped && matching > EXACT_ROWS)
    expect(seen.total, name).toBeLessThanOrEqual(Math.min(matching, 10_000));
  else expect({ total: seen.total, isCapped: seen.totalCapped }, name).toEqual(totals(matching, isFiltered));
}

// As many schedules as the narrowest bound of `searchSources` lets one source look up.
const EXACT_ROWS = 3_000;
