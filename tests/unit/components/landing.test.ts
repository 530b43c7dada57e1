import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { MEASURED, READ_ON, STATED } from "#components/landing/comparison.ts";
import { readRecordedAttempt } from "#server/docs/recorded-attempt.ts";

const PAGE = readFileSync(new URL("../../../docs/comparison.md", import.meta.url), "utf8");

/** The cells of the row that begins with `name`, by the columns of its table. */
function rowOf(name: string): Map<string, string> {
  const lines = PAGE.split("\n");
  const at = lines.findIndex((line) => line.startsWith(`| ${name} |`));
  const head = lines.slice(0, at).findLast((_, before) => lines[before + 1]?.startsWith("|---")) ?? "";
  const cells = (line: string) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
  const row = cells(lines[at] ?? "");
  return new Map(cells(head).map((column, place) => [column, row[place] ?? ""]));
}

describe("the comparison of the first page says what docs/comparison.md says", () => {
  it.each(STATED)(
    "of $name, with its source and the day on which it was read",
    ({ name, instant, punctuality, source }) => {
      const [given, stated] = [rowOf("Instant given in").get(name) ?? "", rowOf("Punctuality").get(name) ?? ""];
      expect(given).toContain(instant);
      expect(stated).toContain(punctuality);
      expect(given + stated).toContain(`(${source})`);
      expect(PAGE.replaceAll("\n", " ")).toContain(READ_ON);
    },
  );

  it.each(MEASURED)("of $name, as measured", ({ name, p50, p99 }) => {
    expect(rowOf("300 a second, p50 / p99").get(name)).toBe(`${p50} / ${p99}`);
  });
});

it("the attempt of the first page is the one that the run of the quickstart has recorded", async () => {
  const { attemptedAt, statusCode, timing } = await readRecordedAttempt();
  const page = readFileSync(new URL("../../../docs/quickstart.md", import.meta.url), "utf8");
  expect(page).toContain(attemptedAt.toISOString());
  expect(page).toContain(`"timing": { "late": ${timing.late}, "claim": ${timing.claim}`);
  expect(statusCode).toBe(200);
});
