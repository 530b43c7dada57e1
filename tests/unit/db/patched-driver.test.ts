import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(dirname(createRequire(import.meta.url).resolve("postgres")), "..", "..");

it.each(["src", "cjs/src", "cf/src"])("the installed database driver contains the patch in %s", (folder) => {
  const connection = readFileSync(join(ROOT, folder, "connection.js"), "utf8");
  expect(connection.match(/clearImmediate\(nextWriteTimer\)\s+nextWriteTimer = chunk = null/g)).toHaveLength(2);
  expect(connection).toContain("query = errorResponse = null\n    closedTime");
  expect(readFileSync(join(ROOT, folder, "index.js"), "utf8")).toContain("return q.reject(lost)");
});
