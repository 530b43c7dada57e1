import type { Sql } from "../../db/client.ts";
import type { Db } from "../../db/orm.ts";
import { readPublicCounts } from "../../db/queries/attempts/public-punctuality.ts";
import { readSpanCounts } from "../../db/queries/attempts/span-counts.ts";
import { readDatabaseClock } from "../../db/queries/fleet/database-clock.ts";
import { readScheduleFigures } from "../../db/queries/schedules/figures.ts";
import type { AttemptSearch } from "../../db/queries/search/attempt-search.ts";
import { listAttempts } from "../../db/queries/search/list-attempts.ts";
import { listSchedules } from "../../db/queries/search/list-schedules.ts";
import type { Query } from "../../db/queries/search/query.ts";
import type { ScheduleSearch } from "../../db/queries/search/schedule-search.ts";
import { overviewSpan } from "../../domain/overview.ts";
import { BIG_ACCOUNT, IDEMPOTENCY_KEY, NEEDLE_MARK, OLD_MARK, OPERATION, RARE_HOST, THIN_MARK } from "./reads-seed.ts";

export type ReadGroup = keyof typeof READ_BARS_MS;

/** The maximum time of one read in the database, planning included. */
export const READ_BARS_MS = {
  "first page of logs": 20,
  "first page of schedules": 20,
  "filtered list": 100,
  "old or thin matches": 200,
  "overview 30d": 50,
  "public punctuality": 50,
};

export type ReadCase = {
  name: string;
  /** Null: the read is shown, and no threshold applies. */
  group: ReadGroup | null;
  read(db: Db, sql: Sql): Promise<unknown>;
};

const RETENTION_DAYS = 30;
const DAY_MS = 86_400_000;
const TENANT = { accountId: BIG_ACCOUNT, env: "live" } as const;

/** The reads of the big account, through the query functions of the service. */
export function readCases(nowMs: number): ReadCase[] {
  const ago = (days: number) => new Date(nowMs - days * DAY_MS);
  const q = (text: string): Query => ({ text, scheduleId: null });
  const logs = (name: string, search: Partial<AttemptSearch>, group: ReadGroup | null = "filtered list"): ReadCase => ({
    name: `logs ${name}`,
    group,
    read: (db) => listAttempts(db, TENANT, RETENTION_DAYS, { limit: 20, offset: 0, ...search }),
  });
  const schedules = (name: string, search: Partial<ScheduleSearch>, group: ReadGroup | null = "filtered list") => ({
    name: `schedules ${name}`,
    group,
    read: (db: Db) => listSchedules(db, TENANT, { sort: "-created_at", limit: 20, offset: 0, ...search }),
  });
  const after = { atMs: nowMs - 15 * DAY_MS, id: BIG_ACCOUNT, attempt: 1 };
  return [
    logs("", {}, "first page of logs"),
    logs("offset=10000", { offset: 10_000 }, null),
    logs("after=<15 days ago>", { after }, "first page of logs"),
    logs("after=<15 days ago> outcome=succeeded", { after, outcome: "succeeded" }),
    logs("after=<15 days ago> q of every third", { after, q: q("/orders/") }, null),
    logs("outcome=failed", { outcome: "failed" }),
    logs("outcome=succeeded", { outcome: "succeeded" }),
    logs("code=4xx (rare)", { code: "4xx" }),
    logs("code=3xx (none)", { code: "3xx" }),
    logs("an hour, 20 days ago", { from: ago(20), to: ago(20 - 1 / 24) }),
    logs("ten days, 15 days ago", { from: ago(25), to: ago(15) }),
    logs("q of nothing", { q: q("zzznothing") }),
    logs("q of one", { q: q(NEEDLE_MARK) }),
    logs("q of all", { q: q("tenant0.example") }),
    logs("q of every third", { q: q("/orders/") }),
    logs("q of 1 %, thinly spread", { q: q(THIN_MARK) }),
    logs("q of the oldest tenth", { q: q(OLD_MARK) }, "old or thin matches"),
    logs("q of the oldest tenth outcome=failed", { q: q(OLD_MARK), outcome: "failed" }, "old or thin matches"),
    logs("q of 1 %, thinly spread outcome=failed", { q: q(THIN_MARK), outcome: "failed" }, "old or thin matches"),
    logs("after=<15 days ago> q of the oldest tenth", { after, q: q(OLD_MARK) }, "old or thin matches"),
    logs("q of two characters", { q: q("v1") }),
    ...narrowLogs(logs, ago),
    schedules("", {}, "first page of schedules"),
    schedules("offset=10000", { offset: 10_000 }, null),
    schedules("after=<15 days ago>", { after }, "first page of schedules"),
    schedules("after=<15 days ago> sort=fire_at", { after, sort: "fire_at" }, "first page of schedules"),
    schedules("after=<15 days ago> status=succeeded", { after, statuses: ["succeeded"] }),
    schedules("after=<15 days ago> q of every third", { after, q: q("/orders/") }, null),
    schedules("sort=fire_at", { sort: "fire_at" }, "first page of schedules"),
    schedules("status=dead (rare)", { statuses: ["dead"] }),
    schedules("status=succeeded", { statuses: ["succeeded"] }),
    schedules("status=scheduled sort=fire_at", { statuses: ["scheduled"], sort: "fire_at" }),
    schedules("status=failed,dead,cancelled", { statuses: ["failed", "dead", "cancelled"] }),
    schedules("an hour, 20 days ago", { from: ago(20), to: ago(20 - 1 / 24) }),
    schedules("ten days, 15 days ago", { from: ago(25), to: ago(15) }),
    schedules("ten days, 15 days ago, dead", { from: ago(25), to: ago(15), statuses: ["dead"] }),
    schedules("q of nothing", { q: q("zzznothing") }),
    schedules("q of nothing here, much elsewhere", { q: q("tenant5.example") }, null),
    schedules("q of one", { q: q(NEEDLE_MARK) }),
    schedules("q of all", { q: q("tenant0.example") }),
    schedules("q of every third", { q: q("/orders/") }),
    schedules("q of every third, dead", { q: q("/orders/"), statuses: ["dead"] }),
    schedules("q of 1 %, thinly spread", { q: q(THIN_MARK) }),
    schedules("q of the oldest tenth", { q: q(OLD_MARK) }, "old or thin matches"),
    schedules("q of the oldest tenth sort=-fire_at", { q: q(OLD_MARK), sort: "-fire_at" }, "old or thin matches"),
    schedules(
      "q of the oldest tenth status=succeeded",
      { q: q(OLD_MARK), statuses: ["succeeded"] },
      "old or thin matches",
    ),
    schedules(
      "q of 1 %, thinly spread status=succeeded",
      { q: q(THIN_MARK), statuses: ["succeeded"] },
      "old or thin matches",
    ),
    schedules("after=<15 days ago> q of the oldest tenth", { after, q: q(OLD_MARK) }, "old or thin matches"),
    schedules("q of every third offset=10000", { q: q("/orders/"), offset: 10_000 }, null),
    schedules("q of two characters", { q: q("v1") }),
    ...narrowSchedules(schedules, ago),
    overview("24h", null),
    overview("7d", null),
    overview("30d", "overview 30d"),
    { name: "public punctuality", group: "public punctuality", read: (_, sql) => readPublicCounts(sql) },
  ];
}

const LATE = { fromMs: 250, toMs: null };
const VERY_LATE = { fromMs: 4_990, toMs: null };
const HOST = "api.tenant0.example";

function narrowLogs(
  logs: (name: string, search: Partial<AttemptSearch>) => ReadCase,
  ago: (days: number) => Date,
): ReadCase[] {
  const range = { from: ago(20), to: ago(19) };
  return [
    logs("late=250.. (1 %)", { late: LATE }),
    logs("late=4990.. (rare)", { late: VERY_LATE }),
    logs("late=..0", { late: { fromMs: null, toMs: 0 } }),
    logs("sort=late", { sort: "late" }),
    logs("sort=late late=250.. of a day", { sort: "late", late: LATE, ...range }),
    logs("host of all", { host: HOST }),
    logs("host (rare)", { host: RARE_HOST }),
    logs("host of nothing", { host: "nothing.example" }),
    logs("host (rare) code=503", { host: RARE_HOST, code: "503" }),
    logs("host (rare) sort=late", { host: RARE_HOST, sort: "late" }),
    logs("code=503", { code: "503" }),
    logs("code=404 (rare)", { code: "404" }),
    logs("code=418 (none)", { code: "418" }),
    logs("code=404 late=4990..", { code: "404", late: VERY_LATE }),
    logs("operation (0.4 %)", { operationId: OPERATION }),
    logs("operation code=503", { operationId: OPERATION, code: "503" }),
    logs("idempotency_key", { idempotencyKey: IDEMPOTENCY_KEY }),
    logs("q of 1 % late=250..", { q: { text: THIN_MARK, scheduleId: null }, late: LATE }),
  ];
}

function narrowSchedules(
  schedules: (name: string, search: Partial<ScheduleSearch>) => ReadCase,
  ago: (days: number) => Date,
): ReadCase[] {
  const range = { from: ago(20), to: ago(19) };
  return [
    schedules("late=250.. (1 %)", { late: LATE }),
    schedules("late=4990.. (rare)", { late: VERY_LATE }),
    schedules("late=..0", { late: { fromMs: null, toMs: 0 } }),
    schedules("sort=late", { sort: "late" }),
    schedules("sort=late late=250.. of a day", { sort: "late", late: LATE, ...range }),
    schedules("sort=late status=dead", { sort: "late", statuses: ["dead"] }),
    schedules("sort=late status=scheduled", { sort: "late", statuses: ["scheduled"] }),
    schedules("host of all", { host: HOST }),
    schedules("host of all sort=fire_at", { host: HOST, sort: "fire_at" }),
    schedules("host (rare)", { host: RARE_HOST }),
    schedules("host (rare) sort=fire_at", { host: RARE_HOST, sort: "fire_at" }),
    schedules("host (rare) status=dead", { host: RARE_HOST, statuses: ["dead"] }),
    schedules("host of all, 503, dead, of a day", { host: HOST, code: "503", statuses: ["dead"], ...range }),
    schedules("host of nothing", { host: "nothing.example" }),
    schedules("code=5xx", { code: "5xx" }),
    schedules("code=404 (rare)", { code: "404" }),
    schedules("code=none", { code: "none" }),
    schedules("code=200", { code: "200" }),
    schedules("code=418 (none)", { code: "418" }),
    schedules("operation (0.4 %)", { operationId: OPERATION }),
    schedules("operation status=dead", { operationId: OPERATION, statuses: ["dead"] }),
    schedules("idempotency_key", { idempotencyKey: IDEMPOTENCY_KEY }),
    schedules("q of 1 % late=250..", { q: { text: THIN_MARK, scheduleId: null }, late: LATE }),
    schedules("host of all late=4990.. status=dead", { host: HOST, late: VERY_LATE, statuses: ["dead"] }),
  ];
}

function overview(period: "24h" | "7d" | "30d", group: ReadGroup | null): ReadCase {
  return {
    name: `overview ${period}`,
    group,
    async read(db, sql) {
      const span = overviewSpan(period, RETENTION_DAYS, await readDatabaseClock(sql));
      await readSpanCounts(db, TENANT, span);
      await readScheduleFigures(sql, TENANT, span.startsAt);
    },
  };
}
