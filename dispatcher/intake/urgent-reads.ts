import type { Database } from "#db/client.ts";
import { type DueSchedule, readDueById } from "#db/queries/schedules/due.ts";
import { PREFETCH_HORIZON_MS } from "#domain/timing.ts";
import type { Clock } from "../runtime/clock.ts";
import { Loop } from "../runtime/loop.ts";
import type { WantedReads } from "./wanted-reads.ts";

const DEADLINE_MS = 3_000;
const IDS_MAX = 500;
/** The longest that the loop sleeps, ms. It runs earlier when a schedule is to be read. */
const PERIOD_MS = 60_000;
const TRY_AGAIN_MS = 250;
/** A schedule that was announced is also read when it is due up to this long after the horizon, ms. */
const BEHIND_HORIZON_MS = 2_000;

type Deps = {
  wanted: WantedReads;
  database: Database;
  clock: Pick<Clock, "now" | "isSet">;
  intake: { acceptNamed(due: DueSchedule[]): void };
};

/** Reads schedules by id, as `WantedReads` lists them. After a failed read they are listed again. */
export class UrgentReads {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Starts reading. `onError` gets errors; reading continues. Returns how to stop. */
  start(onError: (error: unknown) => void): Pick<Loop, "stop"> {
    const { wanted, clock } = this.#deps;
    const loop = new Loop(
      PERIOD_MS,
      async () => {
        if (!clock.isSet()) return;
        await this.runOnce();
        if (wanted.size > 0) loop.soon();
      },
      (error) => {
        onError(error);
        setTimeout(() => loop.soon(), TRY_AGAIN_MS);
      },
    );
    wanted.onWanted = () => loop.soon();
    loop.start();
    return loop;
  }

  /** Runs one statement, for a bounded number of schedules. Returns how many rows it read. */
  async runOnce(): Promise<number> {
    const { wanted, clock, database, intake } = this.#deps;
    const ids = wanted.take(IDS_MAX);
    if (ids.length === 0) return 0;
    const untilMs = clock.now() + PREFETCH_HORIZON_MS + BEHIND_HORIZON_MS;
    let due: DueSchedule[];
    try {
      due = await database.run(DEADLINE_MS, ({ sql }) => readDueById(sql, ids, untilMs));
    } catch (error) {
      wanted.add(ids);
      throw error;
    }
    intake.acceptNamed(due);
    return due.length;
  }
}
