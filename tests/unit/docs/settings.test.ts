import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { defaultOf, SECRET_NAMES, SETTING_NAMES } from "#config.ts";

const page = readFileSync(new URL("../../../docs/settings.md", import.meta.url), "utf8");
const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (.+?) \| (.+?) \| (secret)? ?\|$/gm)].map(
  ([, name = "", what = "", shown = "", secret]) => ({ name, what, shown, isSecret: secret !== undefined }),
);

describe("the table of docs/settings.md", () => {
  test("lists every setting once, and nothing else", () => {
    expect(rows.map(({ name }) => name).toSorted()).toEqual(SETTING_NAMES.toSorted());
  });

  test.each(SETTING_NAMES)("says whether %s is a secret, and its default", (name) => {
    const row = rows.find((one) => one.name === name);
    const known = defaultOf(name);
    const isFixed = typeof known === "number" || (typeof known === "string" && known !== "");
    expect(row?.isSecret).toBe(SECRET_NAMES.has(name));
    if (isFixed) expect(row?.shown).toBe(`\`${known}\``);
    else expect(row?.shown).not.toMatch(/^`[\d.a-z]+`$/);
  });
});
