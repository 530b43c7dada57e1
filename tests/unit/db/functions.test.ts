import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { dumpFunctions, FUNCTIONS_FILE } from "#db/dump-schema.ts";

it("db/functions.json says when db/functions changed last, by which a database tells older functions from newer ones", () => {
  const mend = 'Run "npm run schema:dump" and commit db/functions.json.';
  expect(readFileSync(FUNCTIONS_FILE, "utf8"), mend).toBe(dumpFunctions(0));
});
