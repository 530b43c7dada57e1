import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { readOutline } from "#components/docs/headings.ts";
import { DOC_PAGES } from "#server/docs/pages.ts";
import { makeIndex, type SearchIndex } from "#server/docs/search/index.ts";
import { QUERY_CHARS_MAX, searchDocs } from "#server/docs/search/search.ts";
import { sectionsOf } from "#server/docs/search/sections.ts";

let index: SearchIndex;
beforeAll(() => {
  index = makeIndex();
});

/** What a search finds, the best first. */
function find(query: string) {
  const result = searchDocs(query, index);
  if (result.kind !== "found") throw new Error(result.kind);
  return result;
}

const shown = (pieces: readonly { text: string; isFound: boolean }[]) =>
  pieces.map(({ text, isFound }) => (isFound ? `[${text}]` : text)).join("");

describe("a search of the documentation", () => {
  it.each([
    ["retries", "/docs/retries"],
    ["how do I rotate my signing secrets?", "/docs/rotate-secrets"],
    ["QUOTA_EXCEEDED", "/docs/errors#quota_exceeded"],
    ["at least once", "/docs/at-least-once"],
    ["docker compose", "/docs/containers#with-docker-compose"],
    ["POST /v1/schedules/bulk", "/docs/api/schedules#createSchedulesBulk"],
    ["glossary", "/docs/glossary"],
  ])("finds for %s first %s", (query, href) => {
    expect(find(query).hits[0]?.href).toBe(href);
  });

  it.each([
    ["Rétry", "retry"],
    ["RETRYING", "retries"],
    ["fireat", "fireAt"],
    ["cancelled schedules", "cancel schedule"],
  ])("finds the same for %s and %s", (one, other) => {
    expect(find(one).hits.map(({ href }) => href)).toEqual(find(other).hits.map(({ href }) => href));
  });

  it("has all words in each place where there is such a place, and otherwise says that only some are there", () => {
    expect(find("rotate secrets").has).toBe("all");
    expect(find("rotate xylophone").has).toBe("some");
    expect(find("rotate xylophone").hits[0]?.href).toBe("/docs/rotate-secrets");
    expect(find("xylophone")).toMatchObject({ has: "some", hits: [] });
  });

  it("names a query with a word that is there for one that is mistyped", () => {
    expect(find("cancle a schedule").near).toBe("cancel a schedule");
    expect(find("xylophone").near).toBeUndefined();
  });

  it("shows each place once, at most twenty and three of a page, with the words that it was looked for marked", () => {
    const { hits } = find("schedule");
    expect(hits.length).toBeLessThanOrEqual(20);
    expect(new Set(hits.map(({ href }) => href)).size).toBe(hits.length);
    for (const { page } of hits) expect(hits.filter((one) => one.page === page).length).toBeLessThanOrEqual(3);
    const [first] = find("rotate secrets").hits;
    expect(shown(first?.heading ?? [])).toBe("[Rotate] signing [secrets]");
    for (const { excerpt } of hits) expect(shown(excerpt).length).toBeLessThanOrEqual(400);
    expect(hits.filter(({ excerpt }) => excerpt.some(({ isFound }) => isFound)).length).toBeGreaterThan(10);
  });

  it.each(["", "   "])("has no result for %j, which asks for nothing", (query) => {
    expect(searchDocs(query, index)).toEqual({ kind: "nothing-asked" });
  });

  it.each(["?!", "…", "\u0000", "💥", '" OR 1=1 --'.replaceAll(/\w/g, "")])("cannot look for %j", (query) => {
    expect(searchDocs(query, index)).toEqual({ kind: "no-words" });
  });

  it("takes 200 characters and refuses more", () => {
    expect(searchDocs("a".repeat(QUERY_CHARS_MAX), index).kind).toBe("found");
    expect(searchDocs("a".repeat(QUERY_CHARS_MAX + 1), index)).toEqual({ kind: "too-long" });
    expect(searchDocs("a ".repeat(QUERY_CHARS_MAX / 2), index).kind).toBe("found");
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("finds nothing by accident for %s", (query) => {
    expect(() => find(query)).not.toThrow();
  });
});

it.each(DOC_PAGES)(
  "every place of $slug that a search leads to has the id that its page gives the heading",
  ({ slug }) => {
    const markdown = readFileSync(`docs/${slug}.md`, "utf8");
    const anchors = sectionsOf(markdown).flatMap(({ anchor }) => anchor ?? []);
    expect(anchors).toEqual(expect.arrayContaining(readOutline(markdown).map(({ id }) => id)));
    expect(new Set(anchors).size).toBe(anchors.length);
  },
);
