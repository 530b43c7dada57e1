import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SETTING_NAMES } from "#config.ts";

const text = readFileSync(new URL("../../../.env.example", import.meta.url), "utf8");
const shown = [...text.matchAll(/^# ([A-Z_]+)=/gm)].map(([, name]) => name);

test("every setting is listed once in .env.example, which lists nothing else", () => {
  expect(shown.toSorted()).toEqual(SETTING_NAMES.toSorted());
});
