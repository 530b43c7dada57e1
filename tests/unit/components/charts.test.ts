import fc from "fast-check";
import { createElement as h } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { histogramLines } from "#components/charts/histogram-lines.ts";
import { LatenessHistogram } from "#components/charts/lateness-histogram.tsx";
import { latenessScale } from "#components/charts/lateness-scale.ts";
import { LatenessStrip } from "#components/charts/lateness-strip.tsx";
import { LatenessTape, type TapeBucket } from "#components/charts/lateness-tape.tsx";
import { type LatenessZone, latenessZones } from "#components/charts/lateness-zones.ts";
import { QuotaMeter } from "#components/charts/quota-meter.tsx";
import { tapeScale } from "#components/charts/tape-scale.ts";
import { bucketValue, offsetBucket } from "#domain/punctuality.ts";

const labelOf = (markup: string) => /aria-label="([^"]*)"/.exec(markup)?.[1];
const bucket = (hour: number, count: number, p50: number | null, p95: number | null): TapeBucket => ({
  startsAt: new Date(Date.UTC(2026, 2, 27, hour)),
  count,
  p50,
  p95,
});
const HOUR_MS = 3_600_000;
const tape = (buckets: TapeBucket[]) =>
  renderToStaticMarkup(
    h(LatenessTape, {
      buckets,
      what: "hour",
      zone: "UTC",
      stepMs: HOUR_MS,
      hrefOf: ({ startsAt }) => `#${startsAt.getUTCHours()}`,
    }),
  );
const hrefOf = ({ fromMs, toMs }: LatenessZone) => `#${fromMs}..${toMs}`;
/** The links of a chart, each with its name. */
const linksOf = (markup: string) =>
  [...markup.matchAll(/<a href="([^"]*)" aria-label="([^"]*)"/g)].map(([, href, name]) => [href, name]);

it("the limit of the lateness charts is written with its unit", () => {
  const counts = [{ ms: 4, count: 3 }];
  for (const chart of [
    h(LatenessHistogram, { counts, p50: 4, p95: 4, hrefOf }),
    h(LatenessHistogram, { counts, p50: 4, p95: 200, hrefOf }),
    h(LatenessStrip, { ms: 4, what: "It", href: "#" }),
    h(LatenessStrip, { ms: -18, what: "It", href: "#" }),
    h(LatenessStrip, { ms: 5_000, what: "It", href: "#" }),
  ]) {
    const words = [...renderToStaticMarkup(chart).matchAll(/>([^<>]+)</g)].map(([, text]) => text);
    expect(words).toContain("late past 250 ms");
  }
});

it("the labels of a histogram's limit, p50 and p95 never meet, wherever these lie", () => {
  const wide = new Map([
    ["late past 250 ms", 15],
    ["p50, p95", 20],
    ["p50", 10],
    ["p95", 10],
  ]);
  fc.assert(
    fc.property(fc.nat({ max: 4_000 }), fc.nat({ max: 60_000 }), fc.boolean(), (p50, more, isEarly) => {
      const counts = [{ ms: isEarly ? -5 : p50, count: 1 }];
      const markup = renderToStaticMarkup(h(LatenessHistogram, { counts, p50, p95: p50 + more, hrefOf }));
      const labels = [...markup.matchAll(/<text x="([\d.]+)%"[^>]*text-anchor="(start|end)"[^>]*>([^<]+)</g)].flatMap(
        ([, x, anchor, text = ""]) => {
          const width = wide.get(text);
          const start = anchor === "start" ? Number(x) : Number(x) - (width ?? 0);
          return width === undefined ? [] : [{ text, start, end: start + width }];
        },
      );
      expect(labels.length).toBeGreaterThan(0);
      const limit = labels.find(({ text }) => text.startsWith("late"));
      for (const one of limit ? labels.filter((label) => label !== limit) : [])
        expect(one.end <= (limit?.start ?? 0) || one.start >= (limit?.end ?? 0), JSON.stringify(labels)).toBe(true);
    }),
  );
  // As it was seen: a median just past the limit.
  const seen = renderToStaticMarkup(
    h(LatenessHistogram, { counts: [{ ms: 300, count: 3 }], p50: 300, p95: 9_000, hrefOf }),
  );
  expect(seen).toContain("late past 250 ms");
});

describe("the scale of a tape", () => {
  const anyMs = fc.integer({ min: -2_000_000, max: 2_000_000 });

  it("contains every value, places later ones higher, and has 0 on its zero line", () => {
    fc.assert(
      fc.property(fc.array(anyMs, { minLength: 2 }), (all) => {
        const scale = tapeScale({ earliestMs: Math.min(...all), latestMs: Math.max(...all) });
        for (const ms of all) {
          expect(scale.yOf(ms)).toBeGreaterThanOrEqual(0);
          expect(scale.yOf(ms)).toBeLessThanOrEqual(100);
        }
        expect(scale.yOf(0)).toBe(scale.zero);
        const [a, b] = all as [number, number];
        if (a < b) expect(scale.yOf(a)).toBeGreaterThan(scale.yOf(b));
      }),
    );
  });

  it("reaches at least one second, and has a negative side only when something was early", () => {
    expect(tapeScale({ earliestMs: 0, latestMs: 3 }).majors).toEqual([1, 10, 100, 1_000]);
    expect(tapeScale({ earliestMs: -7, latestMs: 3 }).majors).toEqual([-10, 1, 10, 100, 1_000]);
    expect(tapeScale({ earliestMs: 0, latestMs: 1_001 }).majors.at(-1)).toBe(10_000);
  });
});

describe("a tape", () => {
  it("leaves a gap where nothing was sent, and says so", () => {
    const markup = tape([bucket(1, 5, 2, 9), bucket(2, 0, null, null), bucket(3, 8, 4, 304)]);
    const bars = [...markup.matchAll(/ d="([^"]*)"/g)].map(([, d = ""]) => (d.match(/M/g) ?? []).length);
    // A line of the hatch; bars on time and late, marks of p95 on time and late, marks of p50 on time and late.
    expect(bars).toEqual([1, 1, 1, 1, 1, 2, 0]);
    expect(labelOf(markup)).toBe(
      "How late, by hour: p50 between +2 ms and +4 ms, p95 between +9 ms and +304 ms. 1 of 2 have a p95 above 250 ms; in 1 nothing was sent.",
    );
  });

  it("draws the p50 of an hour in amber when it is past the limit", () => {
    const markup = tape([bucket(1, 5, 2, 9), bucket(2, 5, 300, 900)]);
    const marks = [...markup.matchAll(/class="stroke-\[2.5px\] stroke-(accent|warn)" d="([^"]*)"/g)];
    expect(marks.map(([, colour, d]) => [colour, (d?.match(/M/g) ?? []).length])).toEqual([
      ["warn", 1],
      ["accent", 1],
      ["warn", 1],
    ]);
  });

  it("answers for each hour in which something was sent, by a link with its figures", () => {
    expect(linksOf(tape([bucket(1, 5, 2, 9), bucket(2, 0, null, null), bucket(3, 1_200, 4, 304)]))).toEqual([
      ["#1", "27 Mar, 01:00–02:00: 5 sent, p50 +2 ms, p95 +9 ms"],
      ["#3", "27 Mar, 03:00–04:00: 1,200 sent, p50 +4 ms, p95 +304 ms"],
    ]);
  });

  it.each([1, 2, 3, 24])("of %i hours names no hour twice", (hours) => {
    const markup = tape(Array.from({ length: hours }, (_, hour) => bucket(hour, 1, 2, 9)));
    const named = markup.match(/>\d\d:00</g) ?? [];
    expect(named.length).toBe(Math.min(hours, 4));
    expect(new Set(named).size).toBe(named.length);
  });

  it("without requests is an empty scale and a sentence", () => {
    expect(labelOf(tape([bucket(1, 0, null, null)]))).toBe("How late, by hour: nothing was sent.");
    expect(labelOf(tape([]))).toBe("How late, by hour: nothing was sent.");
  });
});

describe("the histogram", () => {
  it("is two-sided when any request was early, and then does not claim that requests are never early", () => {
    const show = (counts: { ms: number; count: number }[]) =>
      renderToStaticMarkup(h(LatenessHistogram, { counts, p50: 0, p95: 3, hrefOf }));
    const early = show([
      { ms: -18, count: 4 },
      { ms: 3, count: 6 },
    ]);
    expect(early).not.toContain("never early");
    expect(labelOf(early)).toMatch(/none more than 250 ms late, 4 early\.$/);
    expect(show([{ ms: 3, count: 6 }])).toContain("never early");
  });

  it.each([
    [0, 0],
    [0, 2],
    [0, 30],
    [1, 1],
    [1, 300],
    [4, 9],
  ])("with p50 at %i ms and p95 at %i ms has no label over the words never early", (p50, p95) => {
    const markup = renderToStaticMarkup(h(LatenessHistogram, { counts: [{ ms: p50, count: 6 }], p50, p95, hrefOf }));
    expect(markup).toContain("never early");
    const labels = [...markup.matchAll(/<text x="([\d.]+)%"[^>]*?text-anchor="(\w+)"[^>]*>p50/g)];
    expect(labels).toHaveLength(1);
    // Such a label takes up to 10 % of the width, and the words end at the zero line.
    const [[, x, anchor] = []] = labels;
    expect(Number(x) - (anchor === "end" ? 10 : 0)).toBeGreaterThanOrEqual(latenessScale().zero);
  });

  it("draws a line for each lateness that was counted, early ones to the left of the zero line", () => {
    const scale = latenessScale({ isTwoSided: true });
    const lines = histogramLines(
      [
        { ms: -300, count: 1 },
        { ms: -3, count: 9 },
        { ms: 0, count: 5 },
        { ms: 70, count: 2 },
      ],
      scale,
    );
    expect(lines.map(({ ms }) => ms)).toEqual([-300, -3, 0, 70]);
    expect(lines.map(({ x }) => Math.sign(x - scale.zero))).toEqual([-1, -1, 0, 1]);
  });
});

describe("the zones of a histogram", () => {
  const anyMs = fc.oneof(fc.integer({ min: -300, max: 1_200 }), fc.integer({ min: -90_000, max: 3_000_000 }));

  it("count exactly the requests whose lateness is within their ends, to the millisecond", () => {
    fc.assert(
      fc.property(fc.array(anyMs, { minLength: 1, maxLength: 60 }), (offsets) => {
        const counts = offsets.map((ms) => ({ ms: bucketValue(offsetBucket(ms)), count: 1 }));
        const zones = latenessZones(counts);
        for (const { fromMs, toMs, count } of zones) {
          const isWithin = (ms: number) => ms >= (fromMs ?? -Infinity) && ms <= (toMs ?? Infinity);
          expect(count).toBe(offsets.filter(isWithin).length);
        }
        expect(zones.reduce((sum, { count }) => sum + count, 0)).toBe(offsets.length);
      }),
    );
  });

  it("have a boundary at the limit of on time", () => {
    const around = latenessZones([250, 251].map((ms) => ({ ms: bucketValue(offsetBucket(ms)), count: 1 })));
    expect(around.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
      [198, 250],
      [251, 298],
    ]);
  });

  it("answer with their figures, each by a link of its own", () => {
    const counts = [
      { ms: 0, count: 3 },
      { ms: 24, count: 1 },
    ];
    expect(linksOf(renderToStaticMarkup(h(LatenessHistogram, { counts, p50: 0, p95: 24, hrefOf })))).toEqual([
      ["#0..0", "0 ms: 3 sent, 75 %"],
      ["#20..29", "+20 ms to +29 ms: 1 sent, 25 %"],
    ]);
  });
});

describe("the meter of a quota", () => {
  const meter = (used: number, graceLimit = 2_200, projected: number | null = null) =>
    renderToStaticMarkup(h(QuotaMeter, { used, limit: 2_000, graceLimit, projected }));

  it("describes in words what it draws", () => {
    expect(labelOf(meter(1_412, 2_200, 1_645))).toBe(
      "1,412 of 2,000 schedules used, grace to 2,200, 1,645 expected by the end of the month",
    );
    expect(labelOf(meter(86, 2_000))).toBe("86 of 2,000 schedules used");
  });

  it("never draws past its track, however much is used", () => {
    for (const used of [0, 2_000, 2_100, 9_999_999]) {
      const rects = [...meter(used, 2_200, used * 3).matchAll(/<rect ([^>]*)>/g)].map(([, attributes = ""]) => {
        const read = (name: string) =>
          Number.parseFloat(new RegExp(`(?:^| )${name}="([\\d.]+)%"`).exec(attributes)?.[1] ?? "0");
        return read("x") + read("width");
      });
      for (const end of rects) expect(end).toBeLessThanOrEqual(100.001);
    }
  });
});
