import type { Sql } from "../../db/client.ts";
import type { Db } from "../../db/orm.ts";
import { readPublicCounts } from "../../db/queries/attempts/public-punctuality.ts";
import { readSpanCounts } from "../../db/queries/attempts/span-counts.ts";
import { readDatabaseClock } from "../../db/queries/fleet/database-clock.ts";
import { readScheduleFigures } from "../../db/queries/schedules/figures.ts";
import { type AttemptSearch, listAttempts } from "../../db/queries/search/list-attempts.ts";
import { listSchedules, type ScheduleSearch } from "../../db/queries/search/list-schedules.ts";
import type { Query } from "../../db/queries/search/passes.ts";
import { overviewSpan } from "../../domain/overview.ts";
import { BIG_ACCOUNT, NEEDLE_MARK, OLD_MARK, THIN_MARK } from "./reads-seed.ts";

export type ReadGroup = keyof typeof READ_BARS_MS;

/** The maximum time of one read in the database, planning included. */
export const READ_BARS_MS = {
  "first page of logs": 20,
  "first page of schedules": 20,
  "filtered list": 100,
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
    logs("q of two characters", { q: q("v1") }),
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
    schedules("q of the oldest tenth", { q: q(OLD_MARK) }, null),
    schedules("q of every third offset=10000", { q: q("/orders/"), offset: 10_000 }, null),
    schedules("q of two characters", { q: q("v1") }),
    overview("24h", null),
    overview("7d", null),
    overview("30d", "overview 30d"),
    { name: "public punctuality", group: "public punctuality", read: (_, sql) => readPublicCounts(sql) },
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
