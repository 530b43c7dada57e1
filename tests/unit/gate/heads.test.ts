import { globSync, readFileSync } from "node:fs";
import { extname, matchesGlob } from "node:path";
import { describe, expect, it } from "vitest";
import { isLong, needsOf, readHead, testFiles } from "../../gate/head.ts";
import { NEEDS } from "../../gate/needs.ts";

const find = (globs: string | string[]) => globSync(globs, { exclude: ["**/node_modules/**"] });
const tests = testFiles();
const long = tests.filter(isLong);
const matches = (file: string, globs: readonly string[]) => globs.some((glob) => matchesGlob(file, glob));

/** Sources that no long test guards: their units, the image's tests and those of the core do. */
const EXEMPT = [
  "deploy/{compose,kubernetes}/**",
  "scripts/{commits,imports,lockfile,production,sdk-types}/**",
  "scripts/{apply-patches.mjs,count.ts,progress.ts,run-vitest.ts,stopwatch.ts,with-page-harness.ts}",
  "{drizzle.config,next-env.d,secret-files,vitest.config}.ts",
];
const SOURCES = [
  "{app,billing,cli/src,components,db,deploy,dispatcher,domain,examples,mail,pages,scripts,sdk/src,server}/**",
  "*.ts",
];

describe("the head of a long test", () => {
  it.each(long)("%s says in its first line what it guards, each glob of which matches a file", (file) => {
    expect(readFileSync(file, "utf8")).toMatch(/^\/\/ Guards: \S/);
    const unmatched = readHead(file).guards.filter((glob) => find(glob).length === 0);
    expect(unmatched).toEqual([]);
  });

  it("guards, together, every source that is not exempt", () => {
    const guards = long.flatMap((file) => readHead(file).guards);
    const sources = find(SOURCES).filter((file) => extname(file) !== "" && !file.endsWith(".md"));
    expect(sources.length).toBeGreaterThan(1_000);
    expect(sources.filter((file) => !matches(file, guards) && !matches(file, EXEMPT))).toEqual([]);
  });

  it("is exempt only where nothing guards", () => {
    const guards = long.flatMap((file) => readHead(file).guards);
    expect(find(EXEMPT).filter((file) => matches(file, guards))).toEqual([]);
  });
});

it("each need that a test names can be installed", () => {
  expect(needsOf(tests).filter((need) => !NEEDS[need])).toEqual([]);
});
