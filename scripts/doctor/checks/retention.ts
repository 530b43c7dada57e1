import type { Config } from "#config.ts";
import type { Sql } from "#db/client.ts";
import { type Backlog, DUE_COUNTED_MAX, NO_BACKLOG } from "#db/queries/retention/step.ts";
import { SESSION } from "#dispatcher/databases.ts";
import { type Job, retentionJobs } from "#dispatcher/retention/jobs.ts";
import { count } from "../../count.ts";
import { ago, type Check, type Finding, failure, ok, warning } from "../check.ts";

/** Jobs run hourly. */
const LATE_S = 6 * 3_600;
const STUCK_S = 3 * 86_400;
/** Each visits 250 accounts. */
const SEARCHES_MAX = 20;

export const retention: Check = {
  name: "retention",
  needs: ["settings", "role"],
  async run({ read, config }) {
    const backlogs: JobBacklog[] = [];
    for (const job of retentionJobs((config as Config).plans)) {
      backlogs.push({ job: job.name, ...(await read((sql) => backlogOf(sql, job))) });
    }
    return judgeRetention(backlogs);
  },
};

/** A job that goes from account to account must search before it can count, which reads only, like this transaction. */
async function backlogOf(sql: Sql, job: Job): Promise<Backlog> {
  await planByIndexes(sql);
  let cursor = job.first;
  for (let searches = 0; ; searches++) {
    const backlog = await job.backlog(sql, cursor);
    if (backlog !== null || searches === SEARCHES_MAX) return backlog ?? NO_BACKLOG;
    const { next } = await job.batch(sql, cursor, 1);
    if (next === null) return NO_BACKLOG;
    cursor = next;
  }
}

/** As in a dispatcher's session, for this transaction. */
async function planByIndexes(sql: Sql): Promise<void> {
  for (const [name, value] of Object.entries(SESSION)) {
    if (name.startsWith("enable_")) await sql`SELECT set_config(${name}, ${String(value)}, true)`;
  }
}

export type JobBacklog = Backlog & { job: string };

export function judgeRetention(backlogs: readonly JobBacklog[]): Finding {
  const [oldest] = backlogs.toSorted((a, b) => b.oldestS - a.oldestS);
  const rows = backlogs.reduce((sum, backlog) => sum + backlog.rows, 0);
  if (!oldest || rows === 0) return ok("nothing is due to be deleted");
  const more = backlogs.some((backlog) => backlog.rows >= DUE_COUNTED_MAX) ? " or more" : "";
  const found = `${count(rows)}${more} ${rows === 1 ? "row is" : "rows are"} due to be deleted, the oldest for ${ago(oldest.oldestS)} (${oldest.job})`;
  if (oldest.oldestS < LATE_S) return ok(found);
  const todo = 'Look into the log of the dispatchers at "retention": one of them deletes, hourly.';
  return oldest.oldestS < STUCK_S ? warning(found, todo) : failure(found, todo);
}
