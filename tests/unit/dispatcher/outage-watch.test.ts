import { describe, expect, it } from "vitest";
import { OutageWatch } from "#dispatcher/recording/outage-watch.ts";

const ANSWER_EVERY_MS = 200;

/** Reports an answer every 200 ms from `fromMs` until `untilMs`. Returns when recovery was allowed. */
function answering(watch: OutageWatch, fromMs: number, untilMs: number): number[] {
  const allowed: number[] = [];
  for (let now = fromMs; now < untilMs; now += ANSWER_EVERY_MS) {
    watch.answered(now);
    if (watch.mayRecover(now)) allowed.push(now);
  }
  return allowed;
}

describe("recovery", () => {
  it("continues while some calls are answered, however often others fail", () => {
    const watch = new OutageWatch(0);
    const asked = 120_000 / ANSWER_EVERY_MS;
    expect(answering(watch, 0, 120_000)).toHaveLength(asked);
  });

  it("waits during an outage and for 15 s after it, so that outcomes held in memory are written first", () => {
    const watch = new OutageWatch(0);
    answering(watch, 0, 10_000);
    expect(watch.mayRecover(12_000)).toBe(false);
    const [first] = answering(watch, 20_000, 60_000);
    expect(first).toBeGreaterThan(35_000);
    expect(first).toBeLessThan(36_000);
  });

  it("is delayed by a minute at most, by any number of outages in a row", () => {
    const watch = new OutageWatch(0);
    const allowed: number[] = [];
    for (let outage = 0; outage < 20; outage++) {
      const backAtMs = outage * 12_000;
      allowed.push(...answering(watch, backAtMs, backAtMs + 8_000));
    }
    expect(allowed.length).toBeGreaterThan(0);
    const later = allowed.filter((at) => at > 12_000);
    expect(later[0]).toBeLessThanOrEqual(12_000 + 62_000);
  });
});
