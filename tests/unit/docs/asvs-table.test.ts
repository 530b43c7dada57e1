import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const SECURITY = readFileSync("SECURITY.md", "utf8");

/** The requirements of levels 1 and 2, as the ranges of each section. Source: OWASP ASVS 5.0.0. */
const REQUIREMENTS = [
  "V1.1.1-2 V1.2.1-9 V1.3.1-11 V1.4.1-3 V1.5.1-2",
  "V2.1.1-3 V2.2.1-3 V2.3.1-4 V2.4.1-1",
  "V3.2.1-2 V3.3.1-4 V3.4.1-6 V3.5.1-5 V3.7.1-2",
  "V4.1.1-3 V4.2.1-1 V4.3.1-2 V4.4.1-4",
  "V5.1.1-1 V5.2.1-3 V5.3.1-2 V5.4.1-3",
  "V6.1.1-3 V6.2.1-12 V6.3.1-4 V6.4.1-4 V6.5.1-5 V6.6.1-3 V6.8.1-4",
  "V7.1.1-3 V7.2.1-4 V7.3.1-2 V7.4.1-5 V7.5.1-2 V7.6.1-2",
  "V8.1.1-2 V8.2.1-3 V8.3.1-1 V8.4.1-1",
  "V9.1.1-3 V9.2.1-4",
  "V10.1.1-2 V10.2.1-2 V10.3.1-4 V10.4.1-11 V10.5.1-5 V10.6.1-2 V10.7.1-3",
  "V11.1.1-2 V11.2.1-3 V11.3.1-3 V11.4.1-4 V11.5.1-1 V11.6.1-1",
  "V12.1.1-3 V12.2.1-2 V12.3.1-4",
  "V13.1.1-1 V13.2.1-5 V13.3.1-2 V13.4.1-5",
  "V14.1.1-2 V14.2.1-4 V14.3.1-3",
  "V15.1.1-3 V15.2.1-3 V15.3.1-7",
  "V16.1.1-1 V16.2.1-5 V16.3.1-4 V16.4.1-3 V16.5.1-3",
  "V17.1.1-1 V17.2.1-4 V17.3.1-2",
].flatMap((chapter) => chapter.split(" ").flatMap(idsOf));

const VERDICTS = ["yes", "in part", "no", "operator", "n/a"];

const ROWS = [...SECURITY.matchAll(/^\| (V\d+\.\d+\.\d+) ([^|]+) \|([^|]*)\|([^|]*)\|$/gm)].map(
  ([, id = "", subject = "", verdict = "", how = ""]) => ({ id, subject, verdict: verdict.trim(), how: how.trim() }),
);

it("SECURITY.md has each requirement of levels 1 and 2 of OWASP ASVS 5.0.0 once, in order", () => {
  expect(REQUIREMENTS).toHaveLength(253);
  expect(ROWS.map(({ id }) => id)).toEqual(REQUIREMENTS);
});

it("every row says whether the requirement holds, in one of the words that the page explains, and how or why not", () => {
  const explained = [...SECURITY.matchAll(/^- `([^`]+)`: /gm)].map(([, word]) => word);
  expect(explained).toEqual(VERDICTS);
  expect(ROWS.filter(({ verdict, how }) => !VERDICTS.includes(verdict) || how === "")).toEqual([]);
});

it("every requirement that does not hold is named in the section about open points", () => {
  const [, open = ""] = /^## What stays open on purpose$(.*?)^## /ms.exec(SECURITY) ?? [];
  const missing = ROWS.filter(({ verdict, id }) => verdict === "no" && !new RegExp(`\\b${id}\\b`).test(open));
  expect(missing).toEqual([]);
});

it("every requirement that the section about open points names does not hold, or holds in part", () => {
  const [, open = ""] = /^## What stays open on purpose$(.*?)^## /ms.exec(SECURITY) ?? [];
  const named = [...open.matchAll(/\bV\d+\.\d+\.\d+\b/g)].map(([id]) => id);
  expect(named).not.toEqual([]);
  const held = ROWS.filter(({ verdict, id }) => named.includes(id) && !["no", "in part"].includes(verdict));
  expect(held).toEqual([]);
});

/** `V1.2.1-3` → V1.2.1, V1.2.2, V1.2.3. */
function idsOf(range: string): string[] {
  const [, section = "", first, last] = /^(V\d+\.\d+)\.(\d+)-(\d+)$/.exec(range) ?? [];
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => `${section}.${Number(first) + at}`);
}
