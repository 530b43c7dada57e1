import type { Sql } from "#db/client.ts";
import { type Job, retentionJobs } from "#dispatcher/retention/jobs.ts";
import { parsePlans } from "#domain/plans.ts";

/** A job of retention, with the default plans. */
export function retentionJob(name: string): Job {
  const job = retentionJobs(parsePlans(undefined)).find((one) => one.name === name);
  if (!job) throw new Error(`there is no job "${name}"`);
  return job;
}

/** Runs a job in batches of `rowsMax` until nothing is left to do. Returns how many rows each batch took. */
export async function runJob(sql: Sql, name: string, rowsMax = 200): Promise<number[]> {
  const job = retentionJob(name);
  const taken: number[] = [];
  let cursor = job.first;
  do {
    const step = await job.batch(sql, cursor, rowsMax);
    taken.push(step.rows);
    cursor = step.next;
  } while (cursor !== null);
  return taken;
}
