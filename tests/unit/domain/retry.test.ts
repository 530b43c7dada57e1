import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextRetryAtMs, parseRetryAfterMs, plannedRetries, type RetryStrategy, retryWaitMs } from "#domain/retry.ts";

const HOUR_MS = 3_600_000;
const strategies: RetryStrategy[] = ["exponential", "linear", "fixed"];
const rule = fc.record({
  strategy: fc.constantFrom(...strategies),
  baseMs: fc.integer({ min: 1_000, max: HOUR_MS }),
  n: fc.integer({ min: 1, max: 2_000 }),
  random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }).map((drawn) => () => drawn),
});

describe("retryWaitMs", () => {
  const waits = (strategy: RetryStrategy, drawn: number) =>
    [1, 2, 3, 4, 9].map((n) => retryWaitMs({ strategy, baseMs: 30_000, n, random: () => drawn }));

  it("follows the strategy's formula and the one-hour cap", () => {
    expect(waits("fixed", 0)).toEqual([30_000, 30_000, 30_000, 30_000, 30_000]);
    expect(waits("linear", 0)).toEqual([30_000, 60_000, 90_000, 120_000, 270_000]);
    expect(waits("exponential", 0)).toEqual([30_000, 60_000, 120_000, 240_000, HOUR_MS]);
  });

  it("adds up to a quarter of jitter, after the cap", () => {
    expect(waits("exponential", 0.5)).toEqual([33_750, 67_500, 135_000, 270_000, 4_050_000]);
    expect(retryWaitMs({ strategy: "fixed", baseMs: 1_000, n: 1, random: () => 0.999999 })).toBe(1_249);
  });

  it("waits at least the base, at most an hour plus jitter, and always whole milliseconds", () => {
    fc.assert(
      fc.property(rule, (input) => {
        const waitMs = retryWaitMs(input);
        expect(waitMs).toBeGreaterThanOrEqual(input.baseMs);
        expect(waitMs).toBeLessThanOrEqual(HOUR_MS * 1.25);
        expect(Number.isInteger(waitMs)).toBe(true);
      }),
    );
  });

  it("never waits less for a later retry, apart from jitter", () => {
    fc.assert(
      fc.property(rule, (input) => {
        const random = () => 0;
        expect(retryWaitMs({ ...input, n: input.n + 1, random })).toBeGreaterThanOrEqual(
          retryWaitMs({ ...input, random }),
        );
      }),
    );
  });
});

describe("parseRetryAfterMs", () => {
  const nowMs = Date.UTC(1994, 10, 6, 8, 49, 7);
  const read = (header: string | undefined) => parseRetryAfterMs(header, nowMs);

  it("reads seconds", () => {
    expect(["0", "120", " 120\t", "007"].map(read)).toEqual([0, 120_000, 120_000, 7_000]);
    expect(read("9".repeat(400))).toBe(Number.POSITIVE_INFINITY);
  });

  it("reads all three forms of an HTTP-date", () => {
    expect(read("Sun, 06 Nov 1994 08:49:37 GMT")).toBe(30_000);
    expect(read("Sunday, 06-Nov-94 08:49:37 GMT")).toBe(30_000);
    expect(read("Sun Nov  6 08:49:37 1994")).toBe(30_000);
    expect(read("Wed Nov 16 08:49:07 1994")).toBe(864_000_000);
    expect(read("Sun, 06 Nov 1994 08:49:60 GMT")).toBe(52_000);
  });

  it("reads a two-digit year more than 50 years ahead as past", () => {
    const in2031 = Date.UTC(2031, 0, 1);
    const yearOf = (twoDigits: string) => {
      const waitMs = parseRetryAfterMs(`Monday, 01-Dec-${twoDigits} 00:00:00 GMT`, in2031) ?? Number.NaN;
      return waitMs === 0 ? "past" : new Date(in2031 + waitMs).getUTCFullYear();
    };
    expect(["31", "81", "82", "99", "00"].map(yearOf)).toEqual([2031, 2081, "past", "past", "past"]);
  });

  it("reads a date in the past as a wait of zero", () => {
    expect(read("Sun, 06 Nov 1994 08:49:00 GMT")).toBe(0);
    expect(read("Thu, 01 Jan 1970 00:00:00 GMT")).toBe(0);
  });

  it("reads anything else as absent", () => {
    for (const header of [
      ...[
        undefined,
        "",
        " ",
        "-1",
        "+1",
        "1.5",
        "1e3",
        "0x10",
        "120, 120",
        "120s",
        "soon",
        "\u0661",
        "NaN",
        "Infinity",
      ],
      ...[
        "1994-11-06T08:49:37Z",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 CET",
      ],
      ...[
        "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun Nov 6 08:49:37 1994",
      ],
      ...["Sun, 06 nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT"],
    ]) {
      expect(read(header), header).toBeNull();
    }
  });
});

describe("nextRetryAtMs", () => {
  const nowMs = Date.UTC(2031, 0, 1);
  const due = (statusCode: number | null, ...retryAfter: string[]) =>
    nextRetryAtMs({ nowMs, statusCode, retryAfter, strategy: "fixed", baseMs: 30_000, n: 1, random: () => 0 }) - nowMs;

  it("waits for a longer Retry-After only on 429 and 503", () => {
    expect([429, 503].map((status) => due(status, "60"))).toEqual([60_000, 60_000]);
    expect([429, 503].map((status) => due(status, "Wed, 01 Jan 2031 00:01:00 GMT"))).toEqual([60_000, 60_000]);
    expect([null, 301, 400, 408, 500, 502, 504].map((status) => due(status, "60"))).toEqual(Array(7).fill(30_000));
  });

  it("waits for the longest valid Retry-After where there are several", () => {
    expect([due(503, "60", "90"), due(429, "90", "60", "soon"), due(503, "soon", "60")]).toEqual([
      90_000, 90_000, 60_000,
    ]);
    expect([due(503, "60", "Wed, 01 Jan 2031 00:01:30 GMT"), due(503, "soon", "-1")]).toEqual([90_000, 30_000]);
  });

  it("never waits less than the strategy says", () => {
    expect([due(429, "1"), due(429, "0"), due(503, "garbage"), due(429)]).toEqual(Array(4).fill(30_000));
  });

  it("waits at most two hours more than the strategy says", () => {
    expect([due(503, "7230"), due(503, "7231"), due(429, "9".repeat(400))]).toEqual(Array(3).fill(7_230_000));
    fc.assert(
      fc.property(
        rule,
        fc.option(fc.integer({ min: 100, max: 599 })),
        fc.oneof(fc.string(), fc.nat().map(String)),
        (input, statusCode, retryAfter) => {
          const waitMs = retryWaitMs(input);
          const delayMs = nextRetryAtMs({ ...input, nowMs, statusCode, retryAfter: [retryAfter] }) - nowMs;
          expect(delayMs).toBeGreaterThanOrEqual(waitMs);
          expect(delayMs).toBeLessThanOrEqual(waitMs + 2 * HOUR_MS);
        },
      ),
    );
  });
});

describe("plannedRetries", () => {
  it("lists each wait with its jitter, and when the retry is made at the earliest", () => {
    expect(plannedRetries({ strategy: "exponential", baseMs: 30_000 }, 4)).toEqual([
      { n: 1, waitMs: 30_000, waitMsMax: 37_500, earliestMs: 30_000, latestMs: 37_500 },
      { n: 2, waitMs: 60_000, waitMsMax: 75_000, earliestMs: 90_000, latestMs: 112_500 },
      { n: 3, waitMs: 120_000, waitMsMax: 150_000, earliestMs: 210_000, latestMs: 262_500 },
      { n: 4, waitMs: 240_000, waitMsMax: 300_000, earliestMs: 450_000, latestMs: 562_500 },
    ]);
    expect(plannedRetries({ strategy: "linear", baseMs: 30_000 }, 0)).toEqual([]);
  });

  it("caps each wait at an hour", () => {
    const waits = plannedRetries({ strategy: "linear", baseMs: 1_800_000 }, 3).map(({ waitMs }) => waitMs);
    expect(waits).toEqual([1_800_000, 3_600_000, 3_600_000]);
  });
});
