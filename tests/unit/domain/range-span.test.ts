import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rangeSpan } from "#domain/range-span.ts";

const HOUR_MS = 3_600_000;
const NOW = Date.parse("2026-03-27T14:34:48.250Z");
const at = (text: string) => Date.parse(text);

describe("the span of a range", () => {
  it("has its hours, whole ones, and steps that divide it", () => {
    const range = { fromMs: at("2026-03-26T18:20:00Z"), toMs: at("2026-03-27T06:00:00Z") };
    expect(rangeSpan(range, 90, NOW)).toEqual({
      startsAt: new Date("2026-03-26T18:00:00Z"),
      stepMs: HOUR_MS,
      steps: 12,
    });
    const week = { fromMs: at("2026-03-16T00:00:00Z"), toMs: at("2026-03-23T00:00:00Z") };
    expect(rangeSpan(week, 90, NOW)).toEqual({ startsAt: new Date(week.fromMs), stepMs: 3 * HOUR_MS, steps: 56 });
  });

  it("ends with the current hour, and begins with what the plan keeps", () => {
    const open = rangeSpan({ fromMs: null, toMs: null }, 1, NOW);
    expect(open).toEqual({ startsAt: new Date("2026-03-26T15:00:00Z"), stepMs: HOUR_MS, steps: 24 });
    expect(rangeSpan({ fromMs: NOW + 2 * HOUR_MS, toMs: null }, 90, NOW)).toBeNull();
    expect(rangeSpan({ fromMs: null, toMs: NOW - 48 * HOUR_MS }, 1, NOW)).toBeNull();
  });

  it("contains every range within the window, in few steps", () => {
    const ms = fc.integer({ min: NOW - 89 * 24 * HOUR_MS, max: NOW });
    fc.assert(
      fc.property(ms, ms, (a, b) => {
        fc.pre(a !== b);
        const [fromMs, toMs] = [Math.min(a, b), Math.max(a, b)];
        const span = rangeSpan({ fromMs, toMs }, 90, NOW);
        if (span === null) throw new Error("expected a span");
        const [first, end] = [span.startsAt.getTime(), span.startsAt.getTime() + span.steps * span.stepMs];
        expect(first).toBeLessThanOrEqual(fromMs);
        expect(end).toBeGreaterThanOrEqual(toMs);
        expect(end - toMs).toBeLessThan(HOUR_MS);
        expect(fromMs - first).toBeLessThan(HOUR_MS + span.stepMs);
        expect(span.steps).toBeLessThanOrEqual(62);
      }),
    );
  });
});
