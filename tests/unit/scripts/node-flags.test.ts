import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { NODE_FLAGS } from "#dispatcher/node-flags.ts";
import { dispatcherPart } from "#scripts/stack/parts.ts";

it("npm run dispatcher runs Node.js with the same flags as npm start", async () => {
  const { scripts } = JSON.parse(await readFile(new URL("../../../package.json", import.meta.url), "utf8"));
  expect(scripts.dispatcher).toBe(`node --env-file-if-exists=.env ${NODE_FLAGS.join(" ")} dispatcher/main.ts`);
});

it("npm start runs a dispatcher with one malloc arena for all threads, unless the operator set another number", () => {
  expect(dispatcherPart({}).env).toMatchObject({ MALLOC_ARENA_MAX: "1" });
  expect(dispatcherPart({ MALLOC_ARENA_MAX: "4" }).env).toMatchObject({ MALLOC_ARENA_MAX: "4" });
});
