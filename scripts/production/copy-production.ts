import { spawnSync } from "node:child_process";
import { cp, mkdir, readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { build } from "esbuild";
import { SetupError } from "../setup-error.ts";
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

type Manifest = { dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> };

/** The folders of installed packages: those of `names` and of all that they depend on. Throws when one is not installed. */
async function findPackages(names: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  const visit = async (name: string, from: string, isOptional: boolean): Promise<void> => {
    const folder = await findFolder(name, from);
    if (folder === undefined && !isOptional)
      throw new Error(`the package ${name}, which ${from || "the project"} needs, is not installed`);
    if (folder === undefined || found.has(folder)) return;
    found.add(folder);
    const { dependencies = {}, optionalDependencies = {} }: Manifest = JSON.parse(
      await readFile(join(folder, "package.json"), "utf8"),
    );
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies }))
      await visit(needed, folder, needed in optionalDependencies);
  };
  for (const name of names) await visit(name, "", false);
  return [...found].sort();
}

/** As Node.js does: in `from`, then in each folder above it. */
async function findFolder(name: string, from: string): Promise<string | undefined> {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const path = join(folder, "node_modules", name);
    if (await stat(join(path, "package.json")).catch(() => undefined)) return path;
    if (folder === "") return undefined;
  }
}

type Sources = {
  /** Paths of files and folders of the project. */
  paths: string[];
  /** Names of the packages that the files import. */
  packages: string[];
};

/**
 * Finds what the programs `entries` of the project consist of: the files that they import, what these name by
 * `new URL("./…", import.meta.url)` (worker threads, preloaded modules, migrations), and the packages. Packages that
 * are only resolved by name are left out.
 */
async function findSources(entries: readonly string[]): Promise<Sources> {
  const found: Sources = { paths: [], packages: [] };
  const programs = new Set(entries);
  const folders = new Set<string>();
  for (;;) {
    const before = programs.size;
    const { inputs, packages } = await readImports([...programs]);
    for (const input of inputs)
      for (const path of await namedByUrl(input))
        (await stat(path)).isDirectory() ? folders.add(path) : programs.add(path);
    Object.assign(found, { paths: [...inputs, ...folders], packages });
    if (programs.size === before) return found;
  }
}

async function readImports(entryPoints: string[]) {
  const { metafile } = await build({
    entryPoints,
    bundle: true,
    write: false,
    metafile: true,
    outdir: "unused",
    logLevel: "silent",
    platform: "node",
    format: "esm",
    packages: "external",
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  const names = imports.filter(({ external, path }) => external && !/^(?:node:|[./])/.test(path)).map(packageOf);
  return { inputs: Object.keys(metafile.inputs).sort(), packages: [...new Set(names)].sort() };
}

const packageOf = ({ path }: { path: string }) => path.match(/^(?:@[^/]+\/)?[^/]+/)?.[0] ?? path;

async function namedByUrl(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8");
  return [...text.matchAll(/new URL\("(\.{1,2}\/[\w./-]+)", import\.meta\.url\)/g)].map(([, path = ""]) =>
    normalize(join(dirname(file), path)).replaceAll("\\", "/"),
  );
}
