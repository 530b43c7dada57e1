import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, it } from "vitest";

/** The files that a file imports, and so on. */
function reachedFrom(file: string, reached = new Set<string>()): Set<string> {
  if (reached.has(file)) return reached;
  reached.add(file);
  for (const [, from = ""] of readFileSync(file, "utf8").matchAll(/ from "([^"]+\.tsx?)"/g)) {
    reachedFrom(from.startsWith("#") ? from.slice(1) : normalize(join(dirname(file), from)), reached);
  }
  return reached;
}

it("the gallery shows every primitive and every chart", () => {
  const shown = reachedFrom("tests/helpers/gallery.tsx");
  const parts = globSync("components/{ui,charts}/*.tsx");
  expect(parts.length).toBeGreaterThan(30);
  expect(parts.filter((part) => !shown.has(part))).toEqual([]);
});
