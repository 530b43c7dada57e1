import { expect, it } from "vitest";
import type { Connection as Database } from "#db/client.ts";
import { ClaimCost } from "#dispatcher/claiming/claim-cost.ts";
import { Claimer } from "#dispatcher/claiming/claimer.ts";
import { Deliveries } from "#dispatcher/delivery/deliveries.ts";
import type { Delivery } from "#dispatcher/delivery/delivery.ts";
import { Metrics } from "#dispatcher/observability/metrics.ts";

const NOW_MS = 10_000;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A claimer whose statements are answered by `answerFirst`, each with the rows of schedules that are gone. */
function start() {
  const clock = { now: () => NOW_MS, monotonic: () => NOW_MS };
  const deliveries = new Deliveries({ clock, connectionsPerPlace: 100 });
  const inFlight: (() => void)[] = [];
  const run = () => new Promise<never[]>((resolve) => inFlight.push(() => resolve([])));
  const claimer = new Claimer({
    ...{ deliveries, clock, dispatcherId: "me", metrics: new Metrics(), cost: new ClaimCost() },
    database: { run, close: async () => {} } as Database,
    shards: { holds: () => true, epochsOf: () => new Map([[0, 1]]) },
    alarm: { at() {}, run() {} },
    wantedReads: { add() {} },
    onError(error: unknown) {
      throw error;
    },
  });
  const free = { slot() {}, connection() {}, bytes() {}, memory() {} };
  deliveries.connect({ admitted: (delivery) => claimer.add(delivery) }, free);
  let ids = 0;
  return {
    inFlight,
    /** Adds a delivery of an account, admitted to its claim. */
    admit(accountId: string, dueAtMs: number): Delivery {
      const delivery = deliveries.add(
        {
          ...{ id: `id-${++ids}`, version: 1, shard: 0, accountId, env: "live", dueAtMs, early: false },
          ...{ isRetry: false, origin: "https://a.example", bytes: 1, accountActive: true, plan: "indie" },
          cpsLimit: null,
        },
        0,
      );
      deliveries.move(delivery, "awaiting turn");
      deliveries.move(delivery, "admitted");
      return delivery;
    },
    async answerFirst() {
      inFlight.shift()?.();
      await turn();
      await turn();
    },
  };
}

it("while overdue deliveries of a lane are being claimed, its others wait, and other lanes do not", async () => {
  const { admit, answerFirst, inFlight } = start();
  const overdue = [admit("a", 1_000), admit("a", 1_001)];
  await turn();
  expect(overdue.map(({ state }) => state)).toEqual(["claiming", "claiming"]);

  const [own, others] = [admit("a", NOW_MS), admit("b", NOW_MS)];
  await turn();
  expect([own.state, others.state]).toEqual(["admitted", "claiming"]);
  expect(inFlight).toHaveLength(2);

  await answerFirst();
  expect(own.state).toBe("claiming");
});

it("a delivery that is on time lets the others of its lane be claimed at once", async () => {
  const { admit } = start();
  const first = admit("a", NOW_MS);
  await turn();
  const second = admit("a", NOW_MS + 1);
  await turn();
  expect([first.state, second.state]).toEqual(["claiming", "claiming"]);
});
