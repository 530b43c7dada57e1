import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, posix, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";

/** Contents by path, below the folder that they are for. */
type Files = Map<string, string>;

/**
 * Builds a package that installations serve, from `<folder>/src` into `<folder>/dist`: a module of one file for each entry
 * that `<folder>/package.json` exports, and the declarations. Takes half a second. Each file is replaced as a whole, so
 * several processes may build at once while others read. Throws when the sources cannot be compiled.
 */
export async function buildPackage(folder: string): Promise<void> {
  const files = new Map([...(await bundle(folder)), ...(await declare(folder))]);
  const dist = join(folder, "dist");
  for (const [path, content] of files) await replaceFile(join(dist, path), content);
  for (const path of await filesIn(dist)) if (!files.has(path)) await rm(join(dist, path), { force: true });
}

async function bundle(folder: string): Promise<Files> {
  const root = resolve(folder);
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: (await entriesOf(folder)).map((entry) => `src/${entry}.ts`),
    outdir: root,
    write: false,
    bundle: true,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    logLevel: "silent",
    // The installation that serves the package puts its address there (`server/packages/read-package.ts`).
    define: { __STOPWATCH_URL__: '"__STOPWATCH_URL__"' },
  });
  return new Map(outputFiles.map(({ path, text }) => [basename(path), withTypes(path, text)]));
}

/** Deno, which has no package.json for a module from an address, finds its types by this line. */
function withTypes(path: string, text: string): string {
  return `// @ts-self-types="./${basename(path, ".js")}.d.ts"\n${text}`;
}

async function entriesOf(folder: string): Promise<string[]> {
  const { exports } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
    exports: Record<string, string | { default: string }>;
  };
  const modules = Object.values(exports).filter((target) => typeof target !== "string");
  return modules.map((target) => basename(target.default, ".js"));
}

async function declare(folder: string): Promise<Files> {
  const outDir = await mkdtemp(join(tmpdir(), "declarations-"));
  const options = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir", outDir];
  try {
    await promisify(execFile)(process.execPath, [TSC, "-p", folder, "--rootDir", join(folder, "src"), ...options]);
    const read: Files = new Map();
    for (const entry of await entriesOf(folder)) await readWithImports(outDir, `${entry}.d.ts`, read);
    return read;
  } catch (error) {
    const { stdout } = error as { stdout?: string };
    throw stdout ? new Error(`${folder} could not be compiled:\n${stdout}`) : error;
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
}

/** Reads a file of declarations and those that it imports. The others are of parts that no entry shows. */
async function readWithImports(folder: string, path: string, read: Files): Promise<void> {
  if (read.has(path)) return;
  const text = await readFile(join(folder, path), "utf8");
  read.set(path, text);
  for (const [, specifier = ""] of text.matchAll(/["'](\.{1,2}\/[\w./-]+)\.ts["']/g)) {
    await readWithImports(folder, `${posix.join(dirname(path), specifier)}.d.ts`, read);
  }
}

const TSC = join(createRequire(import.meta.url).resolve("typescript/package.json"), "../bin/tsc");

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
}

async function replaceFile(path: string, content: string): Promise<void> {
  const made = `${path}.${process.pid}.tmp`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(made, content);
  await rename(made, path);
}
