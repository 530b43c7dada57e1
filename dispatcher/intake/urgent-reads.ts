import type { Connection as Database, Sql } from "#db/client.ts";
import { type DueSchedule, readDueById, readDueOfAccount } from "#db/queries/due-schedules.ts";
import { PREFETCH_HORIZON_MS } from "#domain/timing.ts";
import type { Clock } from "../runtime/clock.ts";
import { Loop } from "../runtime/loop.ts";
import type { WantedReads } from "./wanted-reads.ts";

const DEADLINE_MS = 3_000;
const IDS_MAX = 500;
const LANES_MAX = 16;
const ROWS_PER_LANE_MAX = 2_000;
/** It runs when something is wanted; this is only how long it may sleep. */
const PERIOD_MS = 60_000;
const TRY_AGAIN_MS = 250;
/** What was announced is read a little behind the horizon too, since it is near. */
const BEHIND_HORIZON_MS = 2_000;

type Deps = {
  wanted: WantedReads;
  database: Database;
  clock: Pick<Clock, "now" | "isSet">;
  intake: { accept(due: DueSchedule[]): void };
};

/** Reads what is wanted before the next round of prefetch. What could not be read is wanted again. */
export class UrgentReads {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Begins to read; `onError` gets what went wrong. Returns how to stop. */
  start(onError: (error: unknown) => void): Pick<Loop, "stop"> {
    const { wanted, clock } = this.#deps;
    const loop = new Loop(
      PERIOD_MS,
      async () => {
        if (!clock.isSet()) return;
        await this.runOnce();
        if (!wanted.isEmpty()) loop.soon();
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

  /** One round, of a bounded number of schedules and lanes; returns how many rows it read. */
  async runOnce(): Promise<number> {
    return (await this.#readSchedules()) + (await this.#readLanes());
  }

  async #readSchedules(): Promise<number> {
    const { wanted, clock } = this.#deps;
    const ids = wanted.takeSchedules(IDS_MAX);
    if (ids.length === 0) return 0;
    const untilMs = clock.now() + PREFETCH_HORIZON_MS + BEHIND_HORIZON_MS;
    try {
      return await this.#read((sql) => readDueById(sql, ids, untilMs));
    } catch (error) {
      wanted.addSchedules(ids);
      throw error;
    }
  }

  async #readLanes(): Promise<number> {
    const { wanted, clock } = this.#deps;
    const lanes = wanted.takeLanes(LANES_MAX);
    let rows = 0;
    try {
      for (; lanes[0]; lanes.shift()) {
        const [, { accountId, env }] = lanes[0];
        const untilMs = clock.now() + PREFETCH_HORIZON_MS;
        rows += await this.#read((sql) => readDueOfAccount(sql, accountId, env, untilMs, ROWS_PER_LANE_MAX));
      }
      return rows;
    } catch (error) {
      for (const [key, lane] of lanes) wanted.addLane(key, lane);
      throw error;
    }
  }

  async #read(query: (sql: Sql) => Promise<DueSchedule[]>): Promise<number> {
    const due = await this.#deps.database.run(DEADLINE_MS, ({ sql }) => query(sql));
    this.#deps.intake.accept(due);
    return due.length;
  }
}
