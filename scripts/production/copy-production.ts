import { spawnSync } from "node:child_process";
import { cp, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { SetupError } from "../setup-error.ts";
import { findPackages } from "./find-packages.ts";
import { findSources } from "./find-sources.ts";
import { isPart, PROGRAMS } from "./programs.ts";

/** What the programs do not import. */
const FILES = ["LICENSE", "package.json", "patches", "scripts/apply-patches.mjs"];

/**
 * Copies what production runs from the built checkout to the folder `target`: the web part, the dispatcher, the commands
 * for operators, and of packages only what these need. `scripts/stopwatch.ts` there starts them. Throws a SetupError when
 * the target holds something, or the copied database driver is not the patched one.
 */
export async function copyProduction(target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  if ((await readdir(target)).length > 0) throw new SetupError(`${target} is not empty: name a new folder.`);

  const commands = [...PROGRAMS.keys()].filter((name) => !isPart(name));
  const entries = [
    "scripts/stopwatch.ts",
    "dispatcher/main.ts",
    ...commands.map((name) => `scripts/commands/${name}.ts`),
  ];
  const sources = await findSources(entries);
  const packages = await findPackages(sources.packages);
  // Next.js traced the web part's share of packages, and what its pages read.
  await copy(".next/standalone", target, isNeededOfWeb);
  await copy(".next/static", join(target, ".next/static"));
  for (const name of await readdir("docs"))
    if (/\.(?:md|json)$/.test(name)) await copy(`docs/${name}`, join(target, "docs", name));
  for (const path of [...FILES, ...sources.paths]) await copy(path, join(target, path), isNeeded);
  for (const folder of packages) await copy(folder, join(target, folder), isNeededOf(folder));
  assertPatched(target);
}

/** The snapshots are for drafting a migration. */
const isNeeded = (path: string) => !path.endsWith("_snapshot.json");

const isNeededOfWeb = (path: string) =>
  !/^\.next\/standalone\/(?:server\.js$|docs)/.test(path) &&
  (!path.startsWith(".next/standalone/node_modules/") || isRun(path));

/** Nested packages are found by themselves. */
const isNeededOf = (folder: string) => (path: string) =>
  isRun(path) && !path.slice(folder.length).includes("/node_modules");

/** Types, sources, source maps and notes about the repository of a package are for development. */
const isRun = (path: string) => !/\.(?:[cm]?ts|map)$|\/\.git/.test(path);

async function copy(from: string, to: string, filter: (path: string) => boolean = () => true): Promise<void> {
  await cp(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => filter(path.replaceAll("\\", "/")),
  });
}

function assertPatched(target: string): void {
  const { status, stderr } = spawnSync(process.execPath, [join(target, "scripts/apply-patches.mjs"), "--check"], {
    encoding: "utf8",
  });
  if (status !== 0) throw new SetupError(stderr.trimEnd());
}
