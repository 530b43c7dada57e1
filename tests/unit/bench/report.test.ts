import { describe, expect, test } from "vitest";
import type { Figures } from "../../bench/measure.ts";
import { failureLines, type Run, summarise, table } from "../../bench/report.ts";
import { checkThresholds } from "../../bench/thresholds.ts";

const FIGURES: Figures = {
  p50: 0.2,
  p95: 1,
  p99: 2,
  max: 3,
  early: 0,
  duplicates: 0,
  lost: 0,
  unrecorded: 0,
  lastArrival: 100,
  committed: 110,
  perSecond: 300,
  cpuUsPerDelivery: 200,
  peakRssMb: 150,
  idleShare: 0.1,
  rowsRead: 1,
  released: 0,
  expiredPerSecond: null,
  othersP50: null,
  othersP99: null,
  othersMax: null,
  othersPerSecond: null,
};

const run = (engine: string, figures: Partial<Figures> = {}, scenario = "steady300", round = 1): Run => ({
  scenario,
  engine,
  round,
  figures: { ...FIGURES, ...figures },
});

describe("summarise", () => {
  test("gives the median, the lowest and the highest of all rounds of one engine in one scenario", () => {
    const rows = summarise([1, 9, 4].map((p99, at) => run("stopwatch", { p99 }, "steady300", at + 1)));
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ rounds: 3, median: { p99: 4 }, min: { p99: 1 }, max: { p99: 9 } });
  });

  test("leaves a figure null when the engine does not have it", () => {
    expect(summarise([run("baseline", { committed: null })])[0]).toMatchObject({ median: { committed: null } });
  });
});

describe("table", () => {
  test("shows the worst round of each failure count", () => {
    const rows = summarise([run("stopwatch", { early: 0 }), run("stopwatch", { early: 7 }), run("stopwatch")]);
    expect(table(rows).split("\n")[1]).toMatch(/\s7\s+0\s+0\s+0$/);
  });

  test("shows the lateness of other jobs only when a scenario has some beside the control group", () => {
    expect(table(summarise([run("stopwatch")]))).not.toContain("others");
    const others = { othersP50: 520, othersP99: 610.25, othersMax: 700, othersPerSecond: 249.6 };
    const lines = table(summarise([run("stopwatch"), run("stopwatch", others, "slow-target")])).split("\n");
    expect(lines[0]).toMatch(/others p50 ms\s+p99\s+max\s+per s$/);
    expect(lines[1]).toMatch(/–\s+–\s+–\s+–$/);
    expect(lines[2]).toMatch(/520\.0\s+610\.3\s+700\s+250$/);
  });
});

describe("checkThresholds", () => {
  const thresholdOf = (runs: Run[], text: string) =>
    checkThresholds(summarise(runs)).find((threshold) => threshold.text.startsWith(text));

  test("leaves a threshold undecided when its runs are missing", () => {
    expect(thresholdOf([run("stopwatch")], "steady300: p99 by the baseline's")).toMatchObject({
      value: null,
      met: null,
    });
  });

  test("compares Stopwatch with the best peer in the same scenario", () => {
    const of = (engine: string, perSecond: number) => run(engine, { perSecond }, "saturation");
    const runs = [of("stopwatch", 6_000), of("pg-boss", 2_000), of("bullmq", 5_000)];
    expect(thresholdOf(runs, "saturation by the best peer's")).toMatchObject({ value: 1.2, met: true });
  });

  test("misses the threshold for early arrivals when one arrival of any scenario is early", () => {
    const runs = [run("stopwatch"), run("stopwatch", { early: 1 }, "burst5000")];
    expect(thresholdOf(runs, "early")).toMatchObject({ value: 1, met: false });
  });

  test("misses the threshold of a control group that a neighbour makes late", () => {
    const text = "slow-target: p99 of the control group";
    expect(thresholdOf([run("stopwatch", { p99: 250 }, "slow-target")], text)).toMatchObject({ met: true });
    expect(thresholdOf([run("stopwatch", { p99: 251 }, "slow-target")], text)).toMatchObject({ met: false });
  });
});

test("what went wrong with another engine says which round it cost, or that the round counts", () => {
  const of = { scenario: "saturation", engine: "pg-boss", error: new Error("deadlock detected\nmore") };
  expect(failureLines([{ ...of, round: 2, isLost: true }])).toBe(
    "round 2, saturation, pg-boss: has no figures: deadlock detected",
  );
  expect(failureLines([{ ...of, round: 3, isLost: false }])).toBe(
    "round 3, saturation, pg-boss: failed after it was measured, which counts: deadlock detected",
  );
});
