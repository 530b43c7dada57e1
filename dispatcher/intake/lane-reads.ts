import type { Database } from "#db/client.ts";
import type { DueSchedule } from "#db/queries/schedules/due.ts";
import { readDueOfLanes, readEntries } from "#db/queries/schedules/due-lanes.ts";
import { laneKey } from "../delivery/delivery.ts";
import { INTAKE } from "../tuning/intake.ts";
import { STATEMENTS } from "../tuning/statements.ts";
import type { Lane } from "./lane.ts";
import type { Lanes } from "./lanes.ts";

type Deps = {
  database: Database;
  lanes: Lanes;
  /** Up to which due time lanes are to be read, epoch ms. */
  calendar: { untilMs(): number };
  /** Takes a schedule into memory. Returns false when there is no capacity for it. */
  intake: { accept(due: DueSchedule): boolean; run(): void };
  metrics: { read(rows: number): void };
};

/** A lane's part of a statement: how many rows were requested, and those that came. */
type Reading = { lane: Lane; limit: number; rows: DueSchedule[] };

/**
 * Reads the schedules of lanes that are due within the horizon. It reads rows without payloads and changes nothing.
 * Each lane continues from where it was read to, and never starts again from the beginning.
 */
export class LaneReads {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Runs one statement, for a bounded number of lanes and rows. Returns how many rows it read. */
  async runOnce(): Promise<number> {
    const { lanes, intake, metrics } = this.#deps;
    lanes.wantBackedOff();
    const taken = lanes.take(STATEMENTS.rowsMax);
    if (taken.length === 0) return 0;
    const { readings, due, untilMs } = await this.#read(taken).catch((error) => {
      for (const lane of taken) {
        lane.failRead();
        if (lanes.get(lane.key) === lane) lanes.want(lane);
      }
      throw error;
    });
    metrics.read(due.length);
    this.#settle(readings, due, untilMs);
    intake.run();
    return due.length;
  }

  async #read(lanes: readonly Lane[]) {
    const { database, calendar } = this.#deps;
    await this.#place(lanes.filter(({ isPlaced }) => !isPlaced));
    const untilMs = calendar.untilMs();
    const readings = this.#plan(lanes);
    for (const { lane } of readings) lane.beginRead();
    const asked = readings.map(({ lane: { accountId, env, readTo: from }, limit }) => ({
      accountId,
      env,
      from,
      untilMs,
      limit,
    }));
    const due = await database.run(STATEMENTS.deadlineMs, ({ sql }) => readDueOfLanes(sql, asked));
    return { readings, due, untilMs };
  }

  /** Determines where to begin to read these lanes, which were woken before their shards were swept. */
  async #place(lanes: readonly Lane[]): Promise<void> {
    if (lanes.length === 0) return;
    const entries = await this.#deps.database.run(STATEMENTS.deadlineMs, ({ sql }) => readEntries(sql, lanes));
    const byLane = new Map(entries.map((entry) => [laneKey(entry), entry.dueAtMs]));
    for (const lane of lanes) if (!lane.isPlaced) lane.place(byLane.get(lane.key) ?? Number.POSITIVE_INFINITY);
  }

  #plan(lanes: readonly Lane[]): Reading[] {
    const share = Math.max(Math.floor(INTAKE.atOnceMax / lanes.length), 1);
    let planned = 0;
    return lanes.map((lane) => {
      // A lane that is read again gets rows that are already in memory, so the free memory does not limit it.
      const capacity = lane.isPulledBack ? this.#deps.lanes.maxOf(lane) : this.#deps.lanes.capacityOf(lane, planned);
      const limit = Math.min(capacity, share);
      planned += limit;
      return { lane, limit, rows: [] };
    });
  }

  #settle(readings: readonly Reading[], due: readonly DueSchedule[], untilMs: number): void {
    const { lanes, intake } = this.#deps;
    const byLane = new Map(readings.map((reading) => [reading.lane.key, reading]));
    for (const one of due) byLane.get(laneKey(one))?.rows.push(one);
    const accept = (row: DueSchedule) => intake.accept(row);
    for (const { lane, limit, rows } of readings) {
      // The shard was lost in the meantime.
      if (lanes.get(lane.key) !== lane) continue;
      const hadCapacity = lane.endRead(rows, { limit, untilMs, accept });
      if (rows.length > 0) lanes.use(lane);
      if (lane.moreFromMs === null) lanes.rest(lane);
      else if (hadCapacity) lanes.want(lane);
      else lanes.backOff(lane);
    }
  }
}
