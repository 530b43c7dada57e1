import { readdirSync, readFileSync } from "node:fs";
import { getTableName } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { readOutline } from "#components/docs/headings.ts";
import * as schema from "#db/schema/index.ts";
import { ERROR_STATUS } from "#domain/errors.ts";
import { parsePlans } from "#domain/plans.ts";
import { DOC_PAGES, type DocPage, findDocPage, linkFromDoc } from "#server/docs/pages.ts";
import { readDocPage } from "#server/docs/read-page.ts";
import { errorComponents } from "#server/reference/error-responses.ts";

/** What fits a line of the navigation, or two. */
const TITLE_CHARS_MAX = 40;

const text = (file: string) => readFileSync(`docs/${file}`, "utf8");

describe("the pages of /docs", () => {
  it.each(DOC_PAGES)("$slug begins with its title and a sentence that describes it", ({ slug, title, description }) => {
    expect(text(`${slug}.md`)).toMatch(/^# .+\n\n(?!```)[^\s#|>*!+-]/);
    expect(title.length).toBeLessThanOrEqual(TITLE_CHARS_MAX);
    expect(description).toMatch(/^.{20,180}[.!?]$/);
  });

  it("are all of docs/ but the architecture, which is for contributors", () => {
    const files = readdirSync("docs").filter((name) => name.endsWith(".md"));
    const pages = DOC_PAGES.map(({ slug }) => `${slug}.md`);
    expect(files.filter((name) => !pages.includes(name))).toEqual(["architecture.md"]);
  });

  it("each have a title of their own", () => {
    const titles = DOC_PAGES.map(({ title }) => title);
    expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([]);
  });

  it.each(DOC_PAGES)("every link of $slug to another page of /docs leads to a heading that is there", ({ slug }) => {
    const file = `${slug}.md`;
    const links = [...text(file).matchAll(/\]\((\w[\w.-]*\.md|)#([^)\s]+)\)/g)];
    for (const [, target, anchor] of links) {
      if (linkFromDoc(target || file) === null) continue;
      const depths = text(target || file).match(/^#{2,} .+$/gm) ?? [];
      const ids = depths.map((line) => readOutline(line.replace(/^#+/, "##"))[0]?.id);
      expect(ids).toContain(anchor);
    }
  });

  it("shows examples with the address of the installation", async () => {
    const shown = await readDocPage(findDocPage("quickstart") as DocPage, "https://stopwatch.example.com");
    expect(shown).toContain("curl https://stopwatch.example.com/v1/schedules");
    expect(shown).not.toContain("localhost");
  });

  it("ends the page about versions with the changelog", async () => {
    const shown = await readDocPage(findDocPage("changelog") as DocPage, "https://stopwatch.example.com");
    expect(shown).toMatch(/^# Versions and changelog\n/);
    expect(shown).toContain("\n## [Unreleased]\n");
  });
});

it("docs/errors.md has every error code with its HTTP status", () => {
  const rows = [...text("errors.md").matchAll(/^\| `([A-Z_]+)` \| (\d+) \|/gm)].map(([, code, status]) => [
    code,
    Number(status),
  ]);
  expect(Object.fromEntries(rows)).toEqual(ERROR_STATUS);
});

it("docs/errors.md has an anchor for each code, to which the OpenAPI document leads", () => {
  const ids = readOutline(text("errors.md")).map(({ id }) => `/docs/errors#${id}`);
  const links = Object.values(errorComponents("https://stopwatch.example")).map(({ content }) => {
    const [, { externalDocs }] = content["application/json"].schema.allOf as [
      unknown,
      { externalDocs: { url: string } },
    ];
    return externalDocs.url;
  });
  expect(links.length).toBe(Object.keys(ERROR_STATUS).length);
  expect(ids).toEqual(expect.arrayContaining(links));
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
    "Items in one bulk request": of("bulkItemsMax"),
    "API requests a minute": of("requestsPerMinute"),
    "Operations started in 24 hours, in each environment": of("operationsPerDay"),
    "Recurrences in each environment": of("recurrencesMax"),
    "Between two times of a recurrence, at least": [free, indie].map((plan) => plan.recurrenceSpacingMsMin / 1_000),
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
