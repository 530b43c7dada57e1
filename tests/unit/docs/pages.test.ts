import { readdirSync, readFileSync } from "node:fs";
import { getTableName } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { readOutline } from "#components/docs/headings.ts";
import * as schema from "#db/schema/index.ts";
import { ERROR_STATUS } from "#domain/errors.ts";
import { parsePlans } from "#domain/plans.ts";
import { DOC_PAGES, linkFromDoc } from "#server/docs/pages.ts";
import { readDocPage } from "#server/docs/read-page.ts";

const text = (file: string) => readFileSync(`docs/${file}`, "utf8");

describe("the pages of /docs", () => {
  it.each(DOC_PAGES)("$title is a file of docs/ with a heading of the first level", async (page) => {
    expect(readdirSync("docs")).toContain(page.file);
    const headings = (await readDocPage(page, "https://stopwatch.example.com")).match(/^# .+$/gm);
    expect(headings?.length).toBeGreaterThanOrEqual(1);
  });

  it.each(DOC_PAGES)("every link of $title to another page of /docs leads to a heading that is there", ({ file }) => {
    const links = [...text(file).matchAll(/\]\((\w[\w.-]*\.md|)#([^)\s]+)\)/g)];
    for (const [, target, anchor] of links) {
      if (linkFromDoc(target || file) === null) continue;
      const depths = text(target || file).match(/^#{2,} .+$/gm) ?? [];
      const ids = depths.map((line) => readOutline(line.replace(/^#+/, "##"))[0]?.id);
      expect(ids).toContain(anchor);
    }
  });

  it("shows examples with the address of the installation", async () => {
    const [quickstart] = DOC_PAGES;
    const shown = await readDocPage(quickstart as (typeof DOC_PAGES)[0], "https://stopwatch.example.com");
    expect(shown).toContain("curl https://stopwatch.example.com/v1/schedules");
    expect(shown).not.toContain("localhost");
  });
});

it("docs/errors.md has every error code with its HTTP status", () => {
  const rows = [...text("errors.md").matchAll(/^\| `([A-Z_]+)` \| (\d+) \|/gm)].map(([, code, status]) => [
    code,
    Number(status),
  ]);
  expect(Object.fromEntries(rows)).toEqual(ERROR_STATUS);
});

it("docs/data.md says of every table of the database what bounds it, and how long its rows are kept", () => {
  const rows = [...text("data.md").matchAll(/^\| [^|]+ \| ((?:`\w+`(?:, )?)+) \| ([^|]+) \| ([^|]+) \|$/gm)];
  const documented = rows.flatMap(([, tables = ""]) => [...tables.matchAll(/`(\w+)`/g)].map(([, table]) => table));
  expect(documented.toSorted()).toEqual(Object.values(schema).map(getTableName).toSorted());
});

it("docs/limits.md has the limits of the plans", () => {
  const { free, indie } = parsePlans(undefined);
  const rows = Object.fromEntries(
    [...text("limits.md").matchAll(/^\| ([^|]+) \| ([\d,]+)[^|]*\| ([\d,]+)[^|]*\|$/gm)].map(([, name, ...values]) => [
      name,
      values.map((value) => Number(value.replace(",", ""))),
    ]),
  );
  const of = (key: keyof typeof free) => [free[key], indie[key]];
  expect(rows).toEqual({
    "Live schedules a month (UTC)": of("monthlyQuota"),
    "Test schedules a month": of("testMonthlyQuota"),
    Payload: [free.payloadBytesMax / 1024, indie.payloadBytesMax / 1024],
    "Items in one bulk call": of("bulkItemsMax"),
    "API requests a minute": of("requestsPerMinute"),
    "Operations started in 24 hours, in each environment": of("operationsPerDay"),
    "API keys that are not revoked": of("apiKeysMax"),
    "API keys created or rotated in 24 hours": of("apiKeysPerDay"),
    Sessions: of("sessionsMax"),
    "Identities at Google and GitHub": of("identitiesMax"),
    "Requests sent a second (`cpsLimit`)": of("cpsLimit"),
    "Retries, at most": of("retryAttemptsMax"),
    "Log of attempts; payloads and headers of finished schedules": of("retentionDays"),
    "Finished schedules, with their idempotency keys": of("terminalDays"),
  });
});
