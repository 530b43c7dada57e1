import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** The parts of a CPU profile that are used. Source: the Chrome DevTools Protocol, `Profiler.Profile`. */
type Profile = {
  nodes: { id: number; callFrame: { functionName: string; url: string } }[];
  samples: number[];
  /** µs between samples. */
  timeDeltas: number[];
};

/** Where the main thread of a process spent its time: for each area its own time, without what it called, ms. */
export type ProfileRow = { area: string; ms: number; share: number };

const ROOT = new URL("../../", import.meta.url).href;

/** Time that is nobody's work. */
const IDLE = "(idle)";

/**
 * Sums the own time of each area, the longest first: a folder of the dispatcher, a package, a module of Node.js, native code by the
 * name of the function, garbage collection. `share` is of the time in which the thread worked.
 */
export function summariseProfile({ nodes, samples, timeDeltas }: Profile): ProfileRow[] {
  const areas = new Map(nodes.map(({ id, callFrame }) => [id, areaOf(callFrame)]));
  const us = new Map<string, number>();
  for (const [n, id] of samples.entries()) {
    const area = areas.get(id) ?? "(unknown)";
    us.set(area, (us.get(area) ?? 0) + (timeDeltas[n] ?? 0));
  }
  us.delete(IDLE);
  const all = us.values().reduce((sum, each) => sum + each, 0);
  return [...us].map(([area, each]) => ({ area, ms: each / 1_000, share: each / all })).sort((a, b) => b.ms - a.ms);
}

/** Reads the profile of every main thread in `folder`, and returns the lines to print: where the time of each process went. */
export async function profileLines(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => MAIN_THREAD.test(name));
  const parts = names.map(async (name) => {
    const rows = summariseProfile(JSON.parse(await readFile(join(folder, name), "utf8")));
    const lines = rows
      .filter(({ share }) => share >= SHOWN_FROM)
      .map(
        ({ area, ms, share }) => `${(100 * share).toFixed(1).padStart(6)} %${ms.toFixed(0).padStart(9)} ms  ${area}`,
      );
    return `${join(folder, name)}\n${lines.join("\n")}`;
  });
  return (await Promise.all(parts)).join("\n\n");
}

/** Node.js names a profile by day, time, process, thread and a number. The thread that ticks only waits. */
const MAIN_THREAD = /\.0\.\d+\.cpuprofile$/;

/** Areas with a smaller share are not printed. */
const SHOWN_FROM = 0.005;

function areaOf({ functionName, url }: { functionName: string; url: string }): string {
  if (url === "") return functionName.startsWith("(") ? functionName : `native: ${functionName || "anonymous"}`;
  if (url.startsWith("node:")) return url;
  const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (name) return name;
  return url.startsWith(ROOT) ? url.slice(ROOT.length).split("/").slice(0, -1).join("/") : url;
}
