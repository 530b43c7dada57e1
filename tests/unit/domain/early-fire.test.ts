import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { earlyLeadMs } from "#domain/early-fire.ts";

describe("earlyLeadMs", () => {
  it("is half the connect round trip plus the cost of sending", () => {
    expect(earlyLeadMs({ connectRttMs: 80, sendCostMs: 3 })).toBe(43);
  });

  it("is 25 ms when no round trip is known", () => {
    expect(earlyLeadMs({ connectRttMs: null, sendCostMs: 3 })).toBe(25);
  });

  it("is at least 1 ms and at most 500 ms", () => {
    const costMs = fc.double({ min: 0, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(fc.option(costMs), costMs, (connectRttMs, sendCostMs) => {
        const leadMs = earlyLeadMs({ connectRttMs, sendCostMs });
        expect(leadMs).toBeGreaterThanOrEqual(1);
        expect(leadMs).toBeLessThanOrEqual(500);
      }),
    );
    expect(earlyLeadMs({ connectRttMs: 0, sendCostMs: 0 })).toBe(1);
    expect(earlyLeadMs({ connectRttMs: 5_000, sendCostMs: 0 })).toBe(500);
  });
});
