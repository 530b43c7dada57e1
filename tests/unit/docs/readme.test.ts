import { readFileSync, statSync } from "node:fs";
import { expect, it } from "vitest";

const README = readFileSync("README.md", "utf8");
const PICTURE_BYTES_MAX = 200_000;

type Row = { scenario: string; engine: string; median: Record<string, number> };

/** The tables of README.md: the file of results, and the engines in the order of the columns. */
const LATEST = { results: "latest", engines: ["stopwatch", "graphile-worker-local", "bullmq", "pg-boss"] };
const EQUAL = { results: "equal-work", engines: ["stopwatch", "graphile-worker-equal", "pg-boss-equal"] };

/** The beginning of each row of the tables, the scenario, and the figures with their number of decimals. */
const MEASURED = [
  ["300 a second", LATEST, "steady300", { p50: 1, p99: 1 }],
  ["1,000 a second", LATEST, "steady1000", { p50: 1, p99: 1 }],
  ["3,000 a second", LATEST, "steady3000", { p50: 1, p99: 1 }],
  ["5,000 at one instant", LATEST, "burst5000", { lastArrival: 0 }],
  ["all due at once", LATEST, "saturation", { perSecond: 0 }],
  ["CPU of a delivery at 1,000 a second", LATEST, "steady1000", { cpuUsPerDelivery: 0 }],
  ["equal work, 300 a second", EQUAL, "steady300", { p50: 1, p99: 1 }],
  ["equal work, all due at once", EQUAL, "saturation", { perSecond: 0 }],
  ["equal work, CPU of a delivery then", EQUAL, "saturation", { cpuUsPerDelivery: 0 }],
] as const;

it.each(MEASURED)(
  "README.md compares %s with the committed results",
  (name, { results, engines }, scenario, figures) => {
    const [, line = ""] = new RegExp(`^\\| ${name},? [^|]*\\|(.*)\\|$`, "m").exec(README) ?? [];
    const shown = line.split("|").map((cell) => cell.replaceAll(/[* ,]/g, "").split("/").map(Number));
    const { rows } = JSON.parse(readFileSync(`tests/bench/results/${results}.json`, "utf8")) as { rows: Row[] };
    const measured = engines.map((engine) => {
      const row = rows.find((one) => one.scenario === scenario && one.engine === engine);
      return Object.entries(figures).map(([figure, decimals]) => rounded(row?.median[figure] ?? Number.NaN, decimals));
    });
    expect(shown).toEqual(measured);
  },
);

it("the pictures of README.md are small", () => {
  const pictures = [...README.matchAll(/\b(?:src|srcset)="([^"]+)"/g)].map(([, path = ""]) => path);
  expect(pictures).toHaveLength(4);
  expect(pictures.filter((path) => statSync(path).size > PICTURE_BYTES_MAX)).toEqual([]);
});

const rounded = (value: number, decimals: number) => Math.round(value * 10 ** decimals) / 10 ** decimals;
