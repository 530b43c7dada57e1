import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type DocPage, docFile } from "./pages.ts";

/** That `ran` of the `of` examples of a page were run with this version on this day, when its file had this hash. */
export type Run = { version: string; date: string; sha256: string; ran: number; of: number };

/** What the foot of a page says of its examples, as `describeRun`. Source: docs/ran.json. */
export async function readRun({ slug }: DocPage): Promise<string | null> {
  const [text, record] = await Promise.all([
    readFile(docFile(slug)),
    readFile(join(process.cwd(), "docs", "ran.json"), "utf8"),
  ]);
  const run: Run | undefined = JSON.parse(record)[slug];
  return run === undefined ? null : describeRun(run, hashPage(text));
}

/** With which version, and when, the examples of a page were run. Null when none was, or the page has another hash by now. */
export function describeRun({ version, date, sha256, ran, of }: Run, now: string): string | null {
  if (sha256 !== now || ran === 0) return null;
  const every = of === 1 ? "The example on this page was" : "Every example on this page was";
  const some = `${ran} of the ${of} examples on this page ${ran === 1 ? "was" : "were"}`;
  const day = new Date(date).toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" });
  return `${ran === of ? every : some} run with Stopwatch ${version} on ${day}.`;
}

/** The hash by which a run names the text of a page. */
export function hashPage(text: Buffer): string {
  return createHash("sha256").update(text).digest("hex");
}
