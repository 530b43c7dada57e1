import { readFileSync, writeFileSync } from "node:fs";
import manifest from "#package.json" with { type: "json" };
import { hashPage, type Run } from "#server/docs/runs.ts";
import { exceptionOf } from "./exceptions.ts";
import type { Fence } from "./fences.ts";
import { isRunnable } from "./run-page.ts";

const FILE = "docs/ran.json";

/** Writes down that pages were run, beside those of earlier runs that are still there. */
export function recordRuns(
  ran: readonly string[],
  pages: readonly { slug: string; fences: readonly Fence[] }[],
  now: Date,
): void {
  const before: Record<string, Run> = JSON.parse(readFileSync(FILE, "utf8"));
  const runs = pages.flatMap(({ slug, fences }) => {
    if (!ran.includes(slug)) return before[slug] ? [[slug, before[slug]]] : [];
    const examples = fences.filter(isRunnable);
    const run: Run = {
      version: manifest.version,
      date: now.toISOString().slice(0, "2026-11-26".length),
      sha256: hashPage(readFileSync(`docs/${slug}.md`)),
      ran: examples.filter((fence) => exceptionOf(fence) !== "not-run").length,
      of: examples.length,
    };
    return [[slug, run]];
  });
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(runs), null, 2)}\n`);
}
