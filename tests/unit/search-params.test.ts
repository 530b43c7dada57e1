import { expect, it } from "vitest";
import { readSearchParams } from "#app/search-params.ts";

it("a page's parameter with U+0000, which PostgreSQL takes in no text, stays one that finds nothing", async () => {
  const given = { q: "\0", host: "a\0b", plan: "free", none: "", twice: ["a", "b"] };
  expect(await readSearchParams(Promise.resolve(given))).toEqual({ q: "\uFFFD", host: "a\uFFFDb", plan: "free" });
});
