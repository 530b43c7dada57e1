import { readFile, stat } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { build } from "esbuild";

export type Sources = {
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
export async function findSources(entries: readonly string[]): Promise<Sources> {
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
    ...{ entryPoints, bundle: true, write: false, metafile: true, outdir: "unused", logLevel: "silent" },
    ...{ platform: "node", format: "esm", packages: "external" },
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
