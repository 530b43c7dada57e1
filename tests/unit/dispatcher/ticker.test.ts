import { afterEach, describe, expect, it } from "vitest";
import { monotonicNow, OVERFLOW_MAX, Ticker } from "#dispatcher/runtime/ticker.ts";
import { waitFor } from "../../helpers/wait-for.ts";

let ticker: Ticker | undefined;
afterEach(() => ticker?.close());

it("the monotonic clock is the one by which the ticker's thread waits", () => {
  const differences = Array.from({ length: 1_000 }, () => monotonicNow() - Number(process.hrtime.bigint()) / 1e6);
  expect(Math.max(...differences)).toBeLessThan(0.02);
  expect(Math.max(...differences)).toBeGreaterThan(-0.02);
});

describe("the ticker", () => {
  it("keeps a bounded number of instants, and wakes at the first of them and at instants requested then", async () => {
    const wokenAt: number[] = [];
    const first = monotonicNow() + 300;
    ticker = new Ticker(() => {
      wokenAt.push(monotonicNow());
      // Nobody is woken for an instant that is over, as it is when this machine stood still.
      ticker?.wakeAt(Math.max(first + wokenAt.length, monotonicNow() + 1));
    });
    for (let n = 0; n < 2 * OVERFLOW_MAX; n++) ticker.wakeAt(first + n);
    expect(ticker.instants()).toBe(OVERFLOW_MAX);
    await waitFor("it wakes again and again", () => wokenAt.length > 50);
    expect(wokenAt[0]).toBeGreaterThanOrEqual(first);
  });
});
