import { expect, it } from "vitest";
import { Preparation } from "#dispatcher/admission/preparation.ts";
import { WaitersByOrigin } from "#dispatcher/admission/waiters.ts";
import { Origins } from "#dispatcher/connections/origins.ts";
import { newDelivery } from "#dispatcher/delivery/delivery.ts";
import { Holdings } from "#dispatcher/delivery/holdings.ts";
import { dueSchedule } from "#tests/helpers/due-schedule.ts";

const ORIGIN = "https://a.example";

/** The preparation times of a process whose clock begins at 100 s. */
function start() {
  let nowMs = 100_000;
  const clock = { now: () => nowMs, monotonic: () => nowMs };
  const origins = new Origins({ holdings: new Holdings(256), monotonic: clock.monotonic });
  const preparation = new Preparation({ waiters: new WaitersByOrigin(origins), clock });
  return {
    preparation,
    pass(ms: number) {
      nowMs += ms;
    },
    /** A delivery that was enqueued `agoMs` ago is prepared now. It has waited `waitMs` for its lane's slot. */
    prepared(agoMs: number | null, { waitMs = 0, origin = ORIGIN } = {}) {
      const delivery = newDelivery(dueSchedule({ origin }), 0, "prepared");
      preparation.note({ ...delivery, enqueuedAtMs: agoMs === null ? null : nowMs - agoMs, waitMs });
    },
  };
}

it("deliveries are enqueued ahead by 1.25 times the slowest preparation time of the last second", () => {
  const { preparation, prepared, pass } = start();
  expect(preparation.aheadMs(ORIGIN)).toBe(0);
  prepared(200);
  prepared(80);
  expect(preparation.aheadMs(ORIGIN)).toBe(250);
  pass(499);
  prepared(80);
  expect(preparation.aheadMs(ORIGIN)).toBe(250);
  pass(499);
  prepared(80);
  expect(preparation.aheadMs(ORIGIN)).toBe(250);
  pass(500);
  expect(preparation.aheadMs(ORIGIN)).toBe(100);
});

it("a slow preparation is forgotten after a second, even when nothing was prepared since", () => {
  const { preparation, prepared, pass } = start();
  prepared(200);
  pass(1_000);
  expect(preparation.aheadMs(ORIGIN)).toBe(0);
});

it("slow preparations for another origin, or in a lane that waited for its slots, do not count", () => {
  const { preparation, prepared } = start();
  prepared(200, { origin: "https://b.example" });
  prepared(200, { waitMs: 1 });
  prepared(null);
  expect(preparation.aheadMs(ORIGIN)).toBe(0);
});
