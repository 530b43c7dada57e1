import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const FOLDERS = globSync("examples/*/");
const LINES_MAX = 60;
/** Lines that a terminal shows without scrolling. */
const SCREEN_LINES_MAX = 40;

const linesOf = (path: string) => readFileSync(path, "utf8").trimEnd().split("\n");

it("there are nine examples", () => {
  expect(FOLDERS.length).toBe(9);
});

describe.each(FOLDERS)("%s", (folder) => {
  it("is one file of sixty lines at most", () => {
    const sources = globSync(`${folder}/**/*.{ts,py,go,php,rb}`);
    expect(sources).toHaveLength(1);
    for (const source of sources) expect(linesOf(source).length).toBeLessThanOrEqual(LINES_MAX);
  });

  it("is explained on one screen", () => {
    const lines = linesOf(`${folder}/README.md`);
    expect(lines.length).toBeLessThanOrEqual(SCREEN_LINES_MAX);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(130);
  });
});
