import { readFileSync, statSync } from "node:fs";
import { expect, it } from "vitest";

const README = readFileSync("README.md", "utf8");
const PICTURE_BYTES_MAX = 200_000;

type Row = { scenario: string; engine: string; median: Record<string, number> };

const { rows } = JSON.parse(readFileSync("tests/bench/results/latest.json", "utf8")) as { rows: Row[] };
/** The engines of the table of README.md, in the order of its columns. */
const ENGINES = ["stopwatch", "graphile-worker-local", "bullmq", "pg-boss"];

/** The beginning of each row of that table, the scenario, and the figures with their number of decimals. */
const MEASURED = [
  ["300 a second", "steady300", { p50: 1, p99: 1 }],
  ["1,000 a second", "steady1000", { p50: 1, p99: 1 }],
  ["3,000 a second", "steady3000", { p50: 1, p99: 1 }],
  ["5,000 at one instant", "burst5000", { lastArrival: 0 }],
  ["all due at once", "saturation", { perSecond: 0 }],
  ["CPU of a delivery at 1,000 a second", "steady1000", { cpuUsPerDelivery: 0 }],
] as const;

it.each(MEASURED)("README.md compares %s with the medians of the committed results", (name, scenario, figures) => {
  const [, line = ""] = new RegExp(`^\\| ${name},? [^|]*\\|(.*)\\|$`, "m").exec(README) ?? [];
  const shown = line.split("|").map((cell) => cell.replaceAll(/[* ,]/g, "").split("/").map(Number));
  const measured = ENGINES.map((engine) => {
    const row = rows.find((one) => one.scenario === scenario && one.engine === engine);
    return Object.entries(figures).map(([figure, decimals]) => rounded(row?.median[figure] ?? Number.NaN, decimals));
  });
  expect(shown).toEqual(measured);
});

it("the pictures of README.md are small", () => {
  const pictures = [...README.matchAll(/\b(?:src|srcset)="([^"]+)"/g)].map(([, path = ""]) => path);
  expect(pictures).toHaveLength(4);
  expect(pictures.filter((path) => statSync(path).size > PICTURE_BYTES_MAX)).toEqual([]);
});

const rounded = (value: number, decimals: number) => Math.round(value * 10 ** decimals) / 10 ** decimals;
