import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { type PackageFiles, pack } from "./pack.ts";

/** A folder of the project with a package that installations serve. `scripts/packages/build-package.ts` builds it. */
export type PackageFolder = "sdk" | "cli";

export type ServedPackage = {
  /** Its name and its version in the sources, such as `stopwatch-sdk-0.1.0`. */
  release: string;
  /** The same with the id of what it contains, such as `stopwatch-sdk-0.1.0-b1f2e3d4c5b6a`. */
  id: string;
  tarball: Buffer<ArrayBuffer>;
  /** Its modules and declarations by their path in `dist`, for runtimes that import from an address. */
  modules: PackageFiles;
};

/** A package as the installation at `baseUrl` serves it. A process makes it once. */
export function readPackage(folder: PackageFolder, baseUrl: string): Promise<ServedPackage> {
  const key = `${folder} ${baseUrl}`;
  const known = made.get(key);
  if (known) return known;
  const making = makePackage(folder, baseUrl);
  made.set(key, making);
  making.catch(() => made.delete(key));
  return making;
}

const made = new Map<string, Promise<ServedPackage>>();

async function makePackage(folder: PackageFolder, baseUrl: string): Promise<ServedPackage> {
  const { private: _, ...manifest } = JSON.parse(await readText(folder, "package.json"));
  const modules = await readModules(folder, baseUrl);
  const files = new Map([
    ["README.md", await readText(folder, "README.md")],
    ["LICENSE", await readText("LICENSE")],
    ["NOTICE", await readText(folder, "dist", "NOTICE")],
    ...[...modules].map(([path, content]) => [`dist/${path}`, content] as const),
  ]);
  const packAs = (version: string) =>
    pack(new Map([...files, ["package.json", `${JSON.stringify({ ...manifest, version }, null, 2)}\n`]]));

  const hash = createHash("sha256")
    .update(await packAs(manifest.version))
    .digest("hex");
  // The letter keeps digits with a leading zero from being an invalid version (Semantic Versioning 2.0.0, section 9).
  const version = `${manifest.version}-b${hash.slice(0, 12)}`;
  return {
    release: `${manifest.name}-${manifest.version}`,
    id: `${manifest.name}-${version}`,
    tarball: await packAs(version),
    modules: new Map([...modules].map(([path, content]) => [path, withDenoSpecifiers(path, content)])),
  };
}

async function readModules(folder: PackageFolder, baseUrl: string): Promise<PackageFiles> {
  const dist = join(/* turbopackIgnore: true */ process.cwd(), folder, "dist");
  const entries = await readdir(/* turbopackIgnore: true */ dist, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && /\.(?:js|d\.ts)$/.test(entry.name))
    .map((entry) => relative(dist, join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
  const read = async (path: string) => withAddress(await readText(folder, "dist", path), baseUrl);
  return new Map(await Promise.all(paths.map(async (path) => [path, await read(path)] as const)));
}

// next.config.ts puts the files into the build.
function readText(...path: string[]): Promise<string> {
  return readFile(/* turbopackIgnore: true */ join(/* turbopackIgnore: true */ process.cwd(), ...path), "utf8");
}

function withAddress(text: string, baseUrl: string): string {
  return text.replaceAll('"__STOPWATCH_URL__"', JSON.stringify(baseUrl));
}

/** Deno loads a declaration from the address that its importer names. TypeScript finds `error.d.ts` by `./error.ts`, too. */
function withDenoSpecifiers(path: string, text: string): string {
  return path.endsWith(".d.ts") ? text.replaceAll(/(?<=["']\.\.?\/[\w./-]+)(?<!\.d)\.ts(?=["'])/g, ".d.ts") : text;
}
