import { expect, it } from "vitest";
import { Origins } from "#dispatcher/connections/origins.ts";
import { Preparation } from "#dispatcher/connections/preparation.ts";
import { newDelivery } from "#dispatcher/delivery/delivery.ts";
import { Holdings } from "#dispatcher/delivery/holdings.ts";
import { dueSchedule } from "#tests/helpers/due-schedule.ts";

const ORIGIN = "https://a.example";

/** The preparation times of a process whose clock begins at 100 s. */
function start() {
  let nowMs = 100_000;
  const clock = { now: () => nowMs, monotonic: () => nowMs };
  const origins = new Origins({ holdings: new Holdings(256), monotonic: clock.monotonic });
  const preparation = new Preparation({ origins, clock });
  return {
    preparation,
    pass(ms: number) {
      nowMs += ms;
    },
    /** A delivery that was enqueued `agoMs` ago is prepared now. It has waited `waitMs` for its lane's slot. */
    prepared(agoMs: number, { waitMs = 0, origin = ORIGIN } = {}) {
      const delivery = newDelivery(dueSchedule({ origin }), 0, "prepared");
      preparation.note({ ...delivery, enqueuedAtMs: nowMs - agoMs, waitMs });
    },
  };
}

it("deliveries are enqueued ahead by a quarter more than the slowest one recently took until it was prepared", () => {
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

it("what was slow is forgotten after a second, also when nothing was prepared since", () => {
  const { preparation, prepared, pass } = start();
  prepared(200);
  pass(1_000);
  expect(preparation.aheadMs(ORIGIN)).toBe(0);
});

it("neither other origins nor a lane that waits for its slots have deliveries enqueued earlier", () => {
  const { preparation, prepared } = start();
  prepared(200, { origin: "https://b.example" });
  prepared(200, { waitMs: 1 });
  prepared(Number.NaN);
  expect(preparation.aheadMs(ORIGIN)).toBe(0);
});
