import type { Sql } from "../client.ts";
import { type Blocker, describeBlockers } from "./blockers.ts";
import { MigrationError } from "./migration-error.ts";
import { type MigrationSession, pause } from "./session.ts";
import { watch } from "./watch.ts";

/**
 * Runs a statement that creates or drops an index CONCURRENTLY, outside any transaction. It waits for older transactions,
 * for `waitMs` in one go at most, and nobody waits behind it. Logs whom it waits for, and how far it has come. Throws a
 * MigrationError when it waited too long.
 */
export async function runAlone(session: MigrationSession, index: string, statement: string): Promise<void> {
  const deadline = performance.now() + session.waitMs;
  for (;;) {
    const report = new StepReport(session, index);
    try {
      await watch(
        session,
        LOOK_EVERY_MS,
        (blockers, pid) => report.add(blockers, pid),
        () => session.sql.unsafe(statement),
      );
      return;
    } catch (error) {
      if (report.isTooLate)
        throw new MigrationError(
          `The index ${index} waited ${Math.round(session.waitMs / 1000)} s for ${report.waitsFor}. What came before it is applied. Run it again, with --wait to wait longer.`,
          { cause: error },
        );
      if ((error as { code?: string }).code !== DEADLOCK || performance.now() > deadline) throw error;
    }
    await pause(session, AFTER_DEADLOCK_MS);
  }
}

const DEADLOCK = "40P01";
const LOOK_EVERY_MS = 500;
const LOG_EVERY_MS = 10_000;
const AFTER_DEADLOCK_MS = 1_000;

class StepReport {
  waitsFor = "";
  isTooLate = false;
  readonly #session: MigrationSession;
  readonly #index: string;
  #waitsSince: number | undefined;
  #loggedAt = performance.now();
  #logged = "";

  constructor(session: MigrationSession, index: string) {
    this.#session = session;
    this.#index = index;
  }

  async add(blockers: Blocker[], pid: number): Promise<"cancel" | undefined> {
    const now = performance.now();
    if (blockers.length === 0) {
      this.#waitsSince = undefined;
      this.#logged = "";
      if (this.#isTimeToLog(now)) this.#log(await readProgress(this.#session.watcher, pid), now);
      return undefined;
    }
    this.#waitsSince ??= now;
    this.waitsFor = describeBlockers(blockers);
    const whom = blockers.map((blocker) => blocker.pid).join();
    if (whom !== this.#logged || this.#isTimeToLog(now)) this.#log(`waits for ${this.waitsFor}`, now);
    this.#logged = whom;
    this.isTooLate = now - this.#waitsSince > this.#session.waitMs;
    return this.isTooLate ? "cancel" : undefined;
  }

  #isTimeToLog(now: number) {
    return now - this.#loggedAt >= LOG_EVERY_MS;
  }

  #log(text: string | undefined, now: number) {
    if (text === undefined) return;
    this.#session.onLog(`index ${this.#index} ${text}`);
    this.#loggedAt = now;
  }
}

/** How far the backend `pid` has come with an index; undefined when it makes none. */
async function readProgress(sql: Sql, pid: number): Promise<string | undefined> {
  const [row] = await sql<{ phase: string; percent: number | null }[]>`
    SELECT phase, round(100.0 * CASE WHEN tuples_total > 0 THEN tuples_done ELSE blocks_done END
      / nullif(CASE WHEN tuples_total > 0 THEN tuples_total ELSE blocks_total END, 0))::integer AS percent
    FROM pg_stat_progress_create_index WHERE pid = ${pid}`;
  return row && `${row.phase}${row.percent === null ? "" : `, ${row.percent} %`}`;
}
