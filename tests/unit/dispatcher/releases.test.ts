import { describe, expect, it } from "vitest";
import { type Database, DatabaseUnavailable } from "#db/client.ts";
import type { DueSchedule } from "#db/queries/schedules/due.ts";
import { ClaimCost } from "#dispatcher/claiming/claim-cost.ts";
import { Claimer } from "#dispatcher/claiming/claimer.ts";
import { Releases } from "#dispatcher/claiming/releases.ts";
import { Deliveries } from "#dispatcher/delivery/deliveries.ts";
import { Metrics } from "#dispatcher/observability/metrics.ts";
import { dueSchedule } from "#tests/helpers/due-schedule.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const MIB = 1024 * 1024;
/** The maximum for claimed requests that have not left, in bytes. */
const CLAIMED_BYTES_MAX = 32 * MIB;

const due = (n: number, bytes: number): DueSchedule => dueSchedule({ id: `id-${n}`, bytes });

const AWAY: Pick<Database, "run"> = { run: () => Promise.reject(new DatabaseUnavailable(new Error("away"))) };

/** The claims and releases of a process whose database is `database`. */
function start(database: Pick<Database, "run">) {
  const clock = { now: () => 1_000, monotonic: () => 0 };
  const deliveries = new Deliveries({ clock, connectionsPerPlace: 1 });
  const deps = {
    inFlightMax: 2,
    deliveries,
    clock,
    dispatcherId: "me",
    metrics: new Metrics(),
    cost: new ClaimCost(),
    database: { ...database, close: async () => {} },
    shards: { holds: () => true, isLeased: () => true, epochsOf: () => new Map([[0, 1]]), beat: () => 1 },
    alarm: { at() {}, run() {} },
    idsToRead: { add() {} },
    onError(error: unknown) {
      throw error;
    },
  };
  const claimer = new Claimer(deps);
  const releases = new Releases(deps);
  deliveries.connect(
    { admitted: (delivery) => claimer.add(delivery), releasing: (delivery) => releases.add(delivery) },
    { bytes: () => claimer.schedule(), slot() {}, connection() {}, memory() {} },
  );
  return { deliveries, releases };
}

describe("a claim that is to be released", () => {
  it("counts as claimed bytes until it is released, so that claiming stops while too many wait", async () => {
    const { deliveries, releases } = start(AWAY);
    for (let n = 0; n < 100; n++) {
      const delivery = deliveries.add(due(n, MIB), 0);
      deliveries.move(delivery, "awaiting slot");
      deliveries.move(delivery, "admitted");
    }
    await waitFor("claims stop", async () => {
      const before = releases.count();
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
      return before > 0 && releases.count() === before;
    });
    expect(deliveries.holdings.claimedBytes).toBeGreaterThan(CLAIMED_BYTES_MAX / 2);
    expect(deliveries.holdings.claimedBytes).toBeLessThanOrEqual(CLAIMED_BYTES_MAX);
    expect(releases.count()).toBe(deliveries.count("releasing"));
  });

  it("keeps no payload in memory", () => {
    const { deliveries, releases } = start(AWAY);
    const delivery = deliveries.add(due(1, 100), 0);
    for (const state of ["awaiting slot", "admitted", "claiming", "claimed", "prepared"] as const) {
      deliveries.move(delivery, state);
    }
    delivery.request = { method: "POST", path: "/", headers: [], body: Buffer.alloc(100) };
    deliveries.move(delivery, "releasing");
    expect(releases.count()).toBe(1);
    expect(delivery.request).toBeNull();
  });
});
