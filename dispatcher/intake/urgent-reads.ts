import type { Database } from "#db/client.ts";
import { type DueSchedule, readDueById } from "#db/queries/schedules/due.ts";
import { NOTIFY_HORIZON_MS } from "#domain/timing.ts";
import type { Clock } from "../runtime/clock.ts";
import { STATEMENTS } from "../tuning/statements.ts";
import type { IdsToRead } from "./ids-to-read.ts";

type Deps = {
  idsToRead: IdsToRead;
  database: Database;
  clock: Pick<Clock, "now">;
  intake: { acceptNamed(due: DueSchedule[]): void };
};

/** Reads schedules by id, as `IdsToRead` lists them. After a failed read they are listed again. */
export class UrgentReads {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Runs one statement, for a bounded number of schedules. Returns how many rows it read. */
  async runOnce(): Promise<number> {
    const { idsToRead, clock, database, intake } = this.#deps;
    const ids = idsToRead.take(STATEMENTS.rowsMax);
    if (ids.length === 0) return 0;
    const untilMs = clock.now() + NOTIFY_HORIZON_MS;
    let due: DueSchedule[];
    try {
      due = await database.run(STATEMENTS.deadlineMs, ({ sql }) => readDueById(sql, ids, untilMs));
    } catch (error) {
      idsToRead.add(ids);
      throw error;
    }
    intake.acceptNamed(due);
    return due.length;
  }
}
