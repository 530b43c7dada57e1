// Guards: domain/recurrence.ts, domain/cron.ts, domain/zoned-time.ts, tests/vectors/recurrences.json
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { parseCron } from "#domain/cron.ts";
import { type Occurrence, type OnRecurringClockChange, occurrencesAfter } from "#domain/recurrence.ts";
import vectors from "#tests/vectors/recurrences.json" with { type: "json" };

describe("over 40 years, a recurrence has the instants that Python's zoneinfo finds", () => {
  const fromMs = Date.parse(vectors.from) - TWO_DAYS_MS;
  // Without an end, the last one too many would be looked for until the year 9999.
  const endsAtMs = Date.UTC(2026, 0) + TWO_DAYS_MS;
  const isInYears = ({ local }: Occurrence) => local.year >= 1986 && local.year < 2026;
  const zones = [...new Set(vectors.rows.map(([zone]) => zone as string))];

  it.each(zones)("in %s", (zone) => {
    for (const [, cron, onClockChange, count, digest] of vectors.rows.filter((row) => row[0] === zone)) {
      const parsed = parseCron(String(cron));
      if (!parsed.ok) throw new Error(parsed.fault.message);
      const choice = onClockChange as OnRecurringClockChange;
      const found = occurrencesAfter({ rule: parsed.rule, zone, onClockChange: choice, endsAtMs }, fromMs)
        .filter(isInYears)
        .map(({ atMs }) => atMs / 1_000);
      const text = found.toArray().join("\n");
      const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
      expect({ cron, onClockChange, count: text.split("\n").length, hash }).toEqual({
        ...{ cron, onClockChange, count, hash: digest },
      });
    }
  });
});

const TWO_DAYS_MS = 2 * 86_400_000;
