import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, it } from "vitest";
import { buildCli } from "#tests/helpers/cli-process.ts";

const PROGRAM = "cli/dist/stopwatch.js";
beforeAll(buildCli);

/** The files that a start loads: those that are imported, and not those that are imported on use. */
async function loadedAtStart(file: string, loaded = new Map<string, string>()): Promise<Map<string, string>> {
  const text = await readFile(file, "utf8");
  loaded.set(file, text);
  // The entry loads the program after it has looked at the version of Node.js.
  const imports = file === PROGRAM ? /import\("\.\/([\w-]+\.js)"\)/g : /(?:from|import)"\.\/([\w-]+\.js)"/g;
  for (const [, name] of text.matchAll(imports)) {
    if (!loaded.has(`cli/dist/${name}`)) await loadedAtStart(`cli/dist/${name}`, loaded);
  }
  return loaded;
}

it("what each start loads is at most 40 KB, compressed by gzip", async () => {
  const files = await loadedAtStart(PROGRAM);
  expect(files.size).toBeGreaterThan(1);
  const bytes = [...files.values()].reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);
  expect(bytes).toBeLessThanOrEqual(40 * 1024);
});

it.each(["--help", "--version"])(
  "%s takes at most 150 ms of processor time, or 2.5 times an empty program's",
  async (option) => {
    let [own, empty] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    // 150 ms are for a machine on which Node.js itself starts in 60 ms.
    const isMet = () => own <= Math.max(150, 2.5 * empty);
    // The least of each, since other programs on the machine only add to it. By turns, so that they add to both.
    for (let n = 0; n < 40 && !isMet(); n++) {
      own = Math.min(own, await processorMs(PROGRAM, option));
      empty = Math.min(empty, await processorMs("--eval", "0"));
    }
    expect(isMet(), `${own} ms, an empty program ${empty} ms`).toBe(true);
  },
);

/** The processor time of a run of Node.js, ms. */
async function processorMs(...args: string[]): Promise<number> {
  const report = "process.on('exit', () => console.error(JSON.stringify(process.cpuUsage())))";
  const preload = `--import=data:text/javascript,${encodeURIComponent(report)}`;
  const { stderr } = await promisify(execFile)(process.execPath, [preload, ...args]);
  const { user, system } = JSON.parse(stderr) as { user: number; system: number };
  return (user + system) / 1_000;
}
