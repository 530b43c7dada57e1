import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";

type Manifest = { dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> };

/** The folders of installed packages: those of `names` and of all that they depend on. Throws when one is not installed. */
export async function findPackages(names: readonly string[]): Promise<string[]> {
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
