// Needs: promtool

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCountedHistogram } from "#dispatcher/observability/counted-histogram.ts";
import type { Figures } from "#dispatcher/observability/figures.ts";
import { Metrics } from "#dispatcher/observability/metrics.ts";
import { hasPromtool, lintMetrics } from "../../helpers/promtool.ts";

const IDLE: Figures = {
  planned: 0,
  waiting: 0,
  unsent: 0,
  underWay: 0,
  unrecorded: 0,
  lanes: 0,
  connections: 0,
  owned: 0,
  held: 0,
  ownFault: 0,
  skewMs: Number.NaN,
};

async function samples(metrics: Metrics): Promise<Record<string, number>> {
  const lines = (await metrics.text()).split("\n").filter((line) => line && !line.startsWith("#"));
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

describe("a histogram", () => {
  it("counts each value in every bucket whose bound is not below it, in any order of the values", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 0, max: 50 }), { minLength: 1 }),
        fc.array(fc.integer({ min: -5, max: 60 })),
        async (bounds, values) => {
          const sorted = bounds.toSorted((a, b) => a - b);
          const histogram = createCountedHistogram("h", "help", sorted);
          for (const value of values) histogram.observe(value);
          const read = (await histogram.get()).values.map(({ value }) => value);
          const expected = [...sorted, Number.POSITIVE_INFINITY].map(
            (bound) => values.filter((v) => v <= bound).length,
          );
          expect(read).toEqual([...expected, values.reduce((sum, v) => sum + v, 0), values.length]);
        },
      ),
    );
  });
});

describe("the metrics of a dispatcher for Prometheus", () => {
  it("say how many notices were sent, how many tries failed, and how many wait", async () => {
    const metrics = new Metrics();
    metrics.noticeSent();
    metrics.noticeFailed();
    metrics.noticeFailed();
    metrics.noticesWaiting(3);
    expect(await samples(metrics)).toMatchObject({
      stopwatch_notices_sent_total: 1,
      stopwatch_notices_failed_total: 2,
      stopwatch_notices_waiting: 3,
    });
  });

  it("say how many operations run, how much they have left, how old the oldest is, and what they did by action", async () => {
    const metrics = new Metrics();
    metrics.operationsRunning({ running: 2, left: 1_200, oldestS: 61.5 });
    metrics.operationsActed({ cancel: 400, replay: 0 });
    metrics.operationsActed({ cancel: 3, replay: 0 });
    metrics.operationsActed({ cancel: 0, replay: 100 });
    expect(await samples(metrics)).toMatchObject({
      stopwatch_operations_running: 2,
      stopwatch_operations_left: 1_200,
      stopwatch_operations_oldest_seconds: 61.5,
      'stopwatch_operations_acted_total{action="cancel"}': 403,
      'stopwatch_operations_acted_total{action="replay"}': 100,
    });
  });

  it("count occurrences of recurrences, those that were left out by the reason, and say how far behind they are", async () => {
    const metrics = new Metrics();
    metrics.recurrences.behind(2.5);
    metrics.recurrences.stepped([
      { made: 3, leftOut: [] },
      { made: 0, leftOut: [{ fromMs: 0, toMs: 5, count: 7, reason: "missed" }] },
    ]);
    expect(await samples(metrics)).toMatchObject({
      stopwatch_occurrences_made_total: 3,
      'stopwatch_occurrences_left_out_total{reason="missed"}': 7,
      'stopwatch_occurrences_left_out_total{reason="over_quota"}': 0,
      stopwatch_recurrences_behind_seconds: 2.5,
    });
  });

  it("count the events of the sending path, with durations in seconds", async () => {
    const metrics = new Metrics();
    metrics.sent(0.4);
    metrics.sent(1.6);
    metrics.sent(70_000);
    metrics.claimed(40);
    metrics.recorded(500);
    metrics.recorded(1);
    metrics.ended("delivered");
    metrics.ended("delivered");
    metrics.ended("interrupted");
    metrics.released();
    metrics.databaseFailed("disk_full");
    const read = await samples(metrics);
    expect(read).toMatchObject({
      'stopwatch_lateness_seconds_bucket{le="0.0002"}': 0,
      'stopwatch_lateness_seconds_bucket{le="0.0005"}': 1,
      'stopwatch_lateness_seconds_bucket{le="0.001"}': 1,
      'stopwatch_lateness_seconds_bucket{le="0.002"}': 2,
      'stopwatch_lateness_seconds_bucket{le="60"}': 2,
      'stopwatch_lateness_seconds_bucket{le="+Inf"}': 3,
      stopwatch_lateness_seconds_count: 3,
      'stopwatch_claim_batch_rows_bucket{le="20"}': 0,
      'stopwatch_claim_batch_rows_bucket{le="50"}': 1,
      stopwatch_record_batch_rows_sum: 501,
      'stopwatch_attempts_total{outcome="delivered"}': 2,
      'stopwatch_attempts_total{outcome="interrupted"}': 1,
      'stopwatch_attempts_total{outcome="blocked"}': 0,
      stopwatch_released_total: 1,
      'stopwatch_database_errors_total{kind="disk_full"}': 1,
      'stopwatch_database_errors_total{kind="unreachable"}': 0,
    });
    expect(await samples(metrics)).toMatchObject({
      'stopwatch_database_errors_total{kind="disk_full"}': 1,
      stopwatch_lateness_seconds_count: 3,
    });
  });

  it("say what it holds at the moment of the request, and include the figures of the process", async () => {
    const metrics = new Metrics();
    let planned = 7;
    expect((await samples(metrics)).stopwatch_planned).toBeNaN();
    metrics.watch(() => ({ ...IDLE, planned, underWay: 3, owned: 64, skewMs: -2.5 }));
    expect(await samples(metrics)).toMatchObject({
      stopwatch_planned: 7,
      stopwatch_in_flight: 3,
      stopwatch_shards_owned: 64,
      stopwatch_queue_depth: 0,
      stopwatch_clock_skew_seconds: -0.0025,
    });
    planned = 8;
    const read = await samples(metrics);
    expect(read.stopwatch_planned).toBe(8);
    expect(read.process_resident_memory_bytes).toBeGreaterThan(0);
  });

  it("say how much is kept in memory by kind, beside the maximum of each kind", async () => {
    const metrics = new Metrics();
    let used = 3;
    metrics.watch(() => IDLE, [{ kind: "exchanges", used: () => used, bound: 4_096 }]);
    const name = (what: string) => `stopwatch_memory_${what}{kind="exchanges"}`;
    expect(await samples(metrics)).toMatchObject({ [name("used")]: 3, [name("bound")]: 4_096 });
    used = 5;
    expect(await samples(metrics)).toMatchObject({ [name("used")]: 5, [name("bound")]: 4_096 });
  });

  it.skipIf(!hasPromtool)(
    "have nothing that Prometheus' own checker finds (skipped where it is not installed)",
    async () => {
      const metrics = new Metrics();
      metrics.watch(() => IDLE, [{ kind: "exchanges", used: () => 3, bound: 4_096 }]);
      metrics.databaseFailed("disk_full");
      expect(lintMetrics(await metrics.text())).toBe("");
    },
  );
});
