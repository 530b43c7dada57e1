import type { Figures } from "./measure.ts";
import { median } from "./measure.ts";
import { PAGE_P95_MAX_MS, type PagesMeasured } from "./pages.ts";
import type { ReadFigures } from "./reads.ts";
import { READ_BARS_MS } from "./reads-cases.ts";
import type { Row } from "./report.ts";
import { FIRST_BATCH_MAX_MS, type FirstBatch } from "./retention.ts";
import type { WriteRound } from "./writes.ts";

export type Threshold = { text: string; value: number | null; limit: number; atLeast: boolean; met: boolean | null };

/** The maximum lateness of a control group beside any neighbour. */
const CONTROL_P99_MAX_MS = 250;
/** What retention erases or deletes beside deliveries, schedules a second. */
const EXPIRED_PER_SECOND_MIN = 3_000;

/**
 * The ratios within this run that a release must meet. A threshold whose runs are missing is undecided (`met` is null).
 */
export function checkThresholds(rows: readonly Row[]): Threshold[] {
  const figure = (scenario: string, engine: string, name: keyof Figures) =>
    rows.find((row) => row.scenario === scenario && row.engine === engine)?.median[name] ?? null;
  const ours = (scenario: string, name: keyof Figures) => figure(scenario, "stopwatch", name);
  const bestPeer = (scenario: string, name: keyof Figures, best: (...values: number[]) => number) => {
    const values = rows
      .filter((row) => row.scenario === scenario && row.engine !== "stopwatch" && row.engine !== "baseline")
      .map((row) => row.median[name])
      .filter((value) => value !== null);
    return values.length === 0 ? null : best(...values);
  };
  const sum = (name: keyof Figures) =>
    rows.filter((row) => row.engine === "stopwatch").reduce((all, row) => all + (row.max[name] ?? 0), 0);

  return [
    threshold("steady300: p50, ms", ours("steady300", "p50"), 0.3),
    threshold(
      "steady300: p99 by the baseline's",
      ratio(ours("steady300", "p99"), figure("steady300", "baseline", "p99")),
      2,
    ),
    ...["steady300", "steady1000"].map((scenario) =>
      threshold(
        `${scenario}: CPU of one delivery by the baseline's`,
        ratio(ours(scenario, "cpuUsPerDelivery"), figure(scenario, "baseline", "cpuUsPerDelivery")),
        1.5,
      ),
    ),
    threshold(
      "burst5000: last arrival by the baseline's",
      ratio(ours("burst5000", "lastArrival"), figure("burst5000", "baseline", "lastArrival")),
      1.2,
    ),
    threshold(
      "burst5000: committed by the baseline's last arrival",
      ratio(ours("burst5000", "committed"), figure("burst5000", "baseline", "lastArrival")),
      1.3,
    ),
    threshold(
      "burst5000: committed by the best peer's",
      ratio(ours("burst5000", "committed"), bestPeer("burst5000", "committed", Math.min)),
      1,
    ),
    threshold("backlog: p50 by the one without", ratio(ours("backlog", "p50"), ours("steady300", "p50")), 1.2),
    threshold("hanging: p99 by the one without", ratio(ours("hanging", "p99"), ours("steady300", "p99")), 1.5),
    ...["retention-erase", "retention-delete"].flatMap((scenario) => [
      threshold(`${scenario}: p99 by the one without`, ratio(ours(scenario, "p99"), ours("steady300", "p99")), 1.5),
      threshold(`${scenario}: schedules a second`, ours(scenario, "expiredPerSecond"), EXPIRED_PER_SECOND_MIN, true),
    ]),
    threshold("two-dispatchers: p99 by one's", ratio(ours("two-dispatchers", "p99"), ours("steady1000", "p99")), 1.2),
    ...["neighbour-backlog", "neighbour-crowd", "neighbour-hangs", "slow-target", "many-origins"].map((scenario) =>
      threshold(`${scenario}: p99 of the control group, ms`, ours(scenario, "p99"), CONTROL_P99_MAX_MS),
    ),
    threshold(
      "slow-target: what the others reached of 250 a second",
      ratio(ours("slow-target", "othersPerSecond"), 250),
      0.95,
      true,
    ),
    threshold(
      "saturation by the baseline's",
      ratio(ours("saturation", "perSecond"), figure("saturation", "baseline", "perSecond")),
      0.4,
      true,
    ),
    threshold(
      "saturation by the best peer's",
      ratio(ours("saturation", "perSecond"), bestPeer("saturation", "perSecond", Math.max)),
      1,
      true,
    ),
    threshold("saturation: CPU time of the machine that nothing used", ours("saturation", "idleShare"), 0.03),
    threshold("saturation: rows read for one delivery", ours("saturation", "rowsRead"), 1.2),
    threshold("saturation: claims put back", ours("saturation", "released"), 0),
    threshold("saturation: peak RSS, MB", ours("saturation", "peakRssMb"), 400),
    threshold("large-payloads: peak RSS, MB", ours("large-payloads", "peakRssMb"), 200),
    threshold(
      "early, duplicate, lost or unrecorded, anywhere",
      sum("early") + sum("duplicates") + sum("lost") + sum("unrecorded"),
      0,
    ),
  ];
}

/** The thresholds of creating over HTTP, undecided when nothing was measured. */
export function checkWrites(rounds: readonly WriteRound[]): Threshold[] {
  const middle = (of: (round: WriteRound) => number) => median(rounds.map(of));
  const [first] = rounds;
  const last = rounds.at(-1);
  return [
    threshold(
      "create: CPU by an empty route handler's",
      middle((round) => round.createCpuUs / round.emptyCpuUs),
      1.3,
    ),
    threshold(
      "bulk: schedules a second",
      middle((round) => round.bulkSchedulesPerSecond),
      5_000,
      true,
    ),
    threshold(
      "bulk: memory in the end by that in the beginning",
      ratio(last?.rssLateMb ?? null, first?.rssEarlyMb ?? null),
      1.2,
    ),
  ];
}

/** The thresholds of reading. Each group is decided by its slowest read, and undecided when nothing was measured. */
export function checkReads(reads: readonly ReadFigures[]): Threshold[] {
  return Object.entries(READ_BARS_MS).map(([group, limit]) => {
    const slowest = reads.filter((read) => read.group === group).sort((a, b) => b.databaseMs - a.databaseMs)[0];
    return threshold(
      `${group}: in the database, ms${slowest ? ` (${slowest.name})` : ""}`,
      slowest?.databaseMs ?? null,
      limit,
    );
  });
}

/** The first batch of each backlog. */
export function checkFirstBatches(measured: readonly FirstBatch[]): Threshold[] {
  return measured.map(({ name, firstBatchMs }) =>
    threshold(`${name}: first batch, ms`, firstBatchMs, FIRST_BATCH_MAX_MS),
  );
}

/** The slowest page, of the account with a million schedules. */
export function checkPages({ pages }: PagesMeasured): Threshold[] {
  const slowest = [...pages].sort((a, b) => b.p95Ms - a.p95Ms)[0];
  const name = slowest ? ` (${slowest.page})` : "";
  return [threshold(`slowest page: p95, ms${name}`, slowest?.p95Ms ?? null, PAGE_P95_MAX_MS)];
}

/** One line for each threshold. */
export function thresholdLines(thresholds: readonly Threshold[]): string {
  return thresholds
    .map(({ text, value, limit, atLeast, met }) => {
      const result = met === null ? "not measured" : met ? "met" : "MISSED";
      const shown = value === null ? "–" : value.toFixed(2);
      return `${result.padEnd(12)}  ${shown.padStart(8)}  ${atLeast ? "≥" : "≤"} ${limit.toFixed(2)}  ${text}`;
    })
    .join("\n");
}

function threshold(text: string, value: number | null, limit: number, atLeast = false): Threshold {
  const met = value === null ? null : atLeast ? value >= limit : value <= limit;
  return { text, value, limit, atLeast, met };
}

const ratio = (a: number | null, b: number | null) => (a === null || b === null ? null : a / b);
