import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("a lookup table with arbitrary strings as keys is a Map, because an object also answers to inherited names", () => {
  const sources = globSync("{app,components,server,domain,dispatcher,scripts,mail,db}/**/*.{ts,tsx}");
  expect(sources.length).toBeGreaterThan(500);
  const objects = sources.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/^(?:export )?const (\w+): [^=]*\bRecord<string,[^;]*?= \{/gm)].map(
      ([, name]) => `${file}: ${name}`,
    ),
  );
  expect(objects).toEqual([]);
});
