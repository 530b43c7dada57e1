import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, it } from "vitest";
import { renderGallery } from "#tests/helpers/gallery.tsx";

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

it("the gallery shows the cards that replace a page, with and without their optional parts", () => {
  const gallery = renderGallery().replaceAll(/<(?!\/section)[^>]*>/g, "\n");
  const cards = gallery.split("</section>").map((card) => card.trim().split(/\n+/));
  const cardOf = (title: string) => cards.find((card) => card.includes(title)) ?? [];
  expect(cardOf("This page did not load")).toEqual(
    expect.arrayContaining([expect.stringMatching(/^req_/), "Try again"]),
  );
  expect(cardOf("These figures did not load")).not.toContain("Try again");
  expect(cardOf("There is no such operation")).toEqual(expect.arrayContaining(["All operations", "Schedules"]));
  expect(cardOf("Nothing is here")).toContain("Overview");
});
