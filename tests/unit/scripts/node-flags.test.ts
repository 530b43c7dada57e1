import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { NODE_FLAGS } from "#dispatcher/node-flags.ts";

it("npm run dispatcher runs Node.js with the same flags as npm start", async () => {
  const { scripts } = JSON.parse(await readFile(new URL("../../../package.json", import.meta.url), "utf8"));
  expect(scripts.dispatcher).toBe(`node --env-file-if-exists=.env ${NODE_FLAGS.join(" ")} dispatcher/main.ts`);
});
