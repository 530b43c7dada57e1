import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, it } from "vitest";

it("the standalone build holds the served files of the project and nothing else of it", () => {
  const traces = readdirSync(".next/server", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".nft.json"))
    .map((name) => join(".next/server", name));
  expect(traces.length, "a trace for each route").toBeGreaterThan(50);
  const traced = traces.flatMap((trace) =>
    (JSON.parse(readFileSync(trace, "utf8")) as { files: string[] }).files.map((file) =>
      relative(".", join(dirname(trace), file)),
    ),
  );
  const others = traced.filter(
    (file) =>
      !/^(?:node_modules|\.next|docs|(?:sdk|cli)\/dist)\/|^(?:sdk|cli)\/(?:package\.json|README\.md)$|^(?:LICENSE|CHANGELOG\.md)$/.test(
        file,
      ),
  );
  expect([...new Set(others)], "others").toEqual([]);
  expect(readdirSync(".next/standalone").sort()).toEqual(
    [".next", "CHANGELOG.md", "cli", "LICENSE", "docs", "node_modules", "package.json", "sdk", "server.js"].sort(),
  );
});
