import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { BROKEN } from "../../chaos/broken.ts";

it.each(Object.entries(BROKEN))("the guard that --break %s removes is in the code exactly once", (_what, patches) => {
  for (const { file, find } of patches) {
    const text = readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8");
    expect(text.split(find)).toHaveLength(2);
  }
});
