import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { judgeSubject } from "#scripts/commits/judge-subject.ts";

const SETTINGS = readFileSync(".github/dependabot.yml", "utf8");

it("dependency updates include every lock file", () => {
  const folders = globSync("{,tests/*/}package-lock.json").map((file) => `/${dirname(file).replace(/^\.$/, "")}`);
  expect(folders.length).toBeGreaterThan(1);
  expect(folders.filter((folder) => !SETTINGS.includes(`"${folder}"`))).toEqual([]);
});

it("the commit subjects of dependency updates pass the check of commits", () => {
  const prefixes = [...SETTINGS.matchAll(/prefix: (.+)/g)].map(([, prefix]) => prefix);
  expect(new Set(prefixes)).toEqual(new Set(["deps"]));
  for (const change of [
    "bump the npm group across 3 directories with 12 updates",
    "Bump actions/checkout from 7 to 8",
  ]) {
    expect(judgeSubject(`${prefixes[0]}: ${change}`)).toEqual([]);
  }
});
