import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, posix, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { type BuildOptions, build, type Plugin } from "esbuild";

/** Contents by path, below the folder that they are for. */
type Files = Map<string, string>;

/**
 * Builds a package that installations serve, from `<folder>/src` into `<folder>/dist`: a module of one file for each entry
 * that `<folder>/package.json` exports, and the declarations; or the program that its `bin` names, in parts that are loaded on
 * use. Takes half a second. Each file is replaced as a whole, so several processes may build at once while others read.
 * Throws when the sources cannot be compiled.
 */
export async function buildPackage(folder: string): Promise<void> {
  const { bin, exports = {} } = await readManifest(folder);
  const files = bin
    ? await bundleProgram(folder, entriesOf(Object.values(bin)))
    : await buildModules(folder, entriesOf(Object.values(exports).flatMap((target) => target.default ?? [])));
  const dist = join(folder, "dist");
  await replaceFiles(folder, dist, files);
  for (const path of await filesIn(dist)) if (!files.has(path)) await rm(join(dist, path), { force: true });
}

type Manifest = { bin?: Record<string, string>; exports?: Record<string, { default?: string }> };

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
}

const entriesOf = (paths: string[]) => paths.map((path) => basename(path, ".js"));

async function buildModules(folder: string, entries: string[]): Promise<Files> {
  const { files: modules, sources } = await bundle(folder, [...entries, ON_DEMAND], {
    target: "es2022",
    platform: "neutral",
    mainFields: ["module", "main"],
    plugins: [onDemandBeside, withoutLocales],
    legalComments: "none",
  });
  const typed = [...modules].map(
    ([path, text]) => [path, path === `${ON_DEMAND}.js` ? text : withTypes(path, text)] as const,
  );
  return new Map([...typed, ...(await declare(folder, entries)), ["NOTICE", await licencesOf(sources)]]);
}

/** The source of what is loaded only when something is wrong: a file beside the entries. */
const ON_DEMAND = "on-demand";

const onDemandBeside: Plugin = {
  name: "on-demand",
  setup({ onResolve }) {
    onResolve({ filter: /\/on-demand\.ts$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: `./${ON_DEMAND}.js`, external: true } : undefined,
    );
  },
};

/** Messages of zod in other languages, a third of what it brings. */
const withoutLocales: Plugin = {
  name: "without-locales",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/locales\/index\.js$/ }, ({ path }) => ({ path, namespace: "no-locales" }));
    onLoad({ filter: /.*/, namespace: "no-locales" }, () => ({ contents: "" }));
  },
};

/** Minified, since a program is started often, and what is imported on use is a file of its own. */
async function bundleProgram(folder: string, entries: string[]): Promise<Files> {
  const { files, sources } = await bundle(folder, entries, {
    target: "node22",
    platform: "node",
    // The MCP SDK then comes with the smaller of its two validators (35 KB less, gzip). Nothing here uses either.
    conditions: ["browser"],
    splitting: true,
    chunkNames: "[name]-[hash]",
    minify: true,
    legalComments: "none",
    banner: { js: "#!/usr/bin/env node" },
  });
  return new Map([...files, ["NOTICE", await licencesOf(sources)]]);
}

/** The licences of the packages that these files are of, which ask to be where the code is. Throws where one has none. */
async function licencesOf(sources: readonly string[]): Promise<string> {
  const packages = sources.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []);
  const namesByText = new Map<string, string[]>();
  for (const path of [...new Set(packages)].sort()) {
    const { name, version } = JSON.parse(await readFile(join(path, "package.json"), "utf8"));
    const file = (await readdir(path)).find((one) => /^licen[cs]e/i.test(one));
    if (file === undefined) throw new Error(`${name}, which is bundled, has no licence file`);
    const text = await readFile(join(path, file), "utf8");
    namesByText.set(text, [...(namesByText.get(text) ?? []), `${name} ${version}`]);
  }
  const parts = [...namesByText].map(([text, names]) => `${names.join(", ")}\n\n${text.trim()}\n`);
  return ["This package contains:\n", ...parts].join("\n---\n\n");
}

/** What esbuild makes, and the paths of the files that it is made from. */
async function bundle(
  folder: string,
  entries: string[],
  options: BuildOptions,
): Promise<{ files: Files; sources: string[] }> {
  const root = resolve(folder);
  const { outputFiles, metafile } = await build({
    ...options,
    absWorkingDir: root,
    entryPoints: entries.map((entry) => `src/${entry}.ts`),
    outdir: root,
    write: false,
    metafile: true,
    bundle: true,
    // What is made says the paths of the sources, or a hash of them. It is the same where node_modules is a link.
    preserveSymlinks: true,
    format: "esm",
    logLevel: "silent",
    // The installation that serves the package puts its address there (`server/packages/read-package.ts`).
    define: { __STOPWATCH_URL__: '"__STOPWATCH_URL__"' },
  });
  return {
    files: new Map(outputFiles.map(({ path, text }) => [basename(path), text])),
    sources: Object.keys(metafile.inputs).map((path) => join(root, path)),
  };
}

/** Deno, which has no package.json for a module from an address, finds its types by this line. */
function withTypes(path: string, text: string): string {
  return `// @ts-self-types="./${basename(path, ".js")}.d.ts"\n${text}`;
}

async function declare(folder: string, entries: string[]): Promise<Files> {
  const outDir = await mkdtemp(join(tmpdir(), "declarations-"));
  // Of what an entry exports each type is written there, so that no other file is needed; types are checked by "npm run check".
  const alone = ["--noCheck", "--noResolve", "--isolatedDeclarations"];
  const options = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir", outDir];
  try {
    await promisify(execFile)(process.execPath, [
      TSC,
      "-p",
      folder,
      "--rootDir",
      join(folder, "src"),
      ...alone,
      ...options,
    ]);
    const read: Files = new Map();
    for (const entry of entries) await readWithImports(outDir, `${entry}.d.ts`, read);
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

/** Writes beside `dist`, in a folder of its own: another process that builds may remove from `dist` what it did not make. */
async function replaceFiles(folder: string, dist: string, files: Files): Promise<void> {
  const written = await mkdtemp(join(folder, ".dist-"));
  try {
    for (const [path, content] of files) await replaceFile(join(dist, path), content, join(written, basename(path)));
  } finally {
    await rm(written, { recursive: true, force: true });
  }
}

async function replaceFile(path: string, content: string, written: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  // npm links the program of a workspace without making it executable.
  await writeFile(written, content, { mode: content.startsWith("#!") ? 0o755 : 0o644 });
  await rename(written, path);
}
