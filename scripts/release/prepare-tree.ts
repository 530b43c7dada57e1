import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { releaseChangelog } from "./changelog.ts";

/**
 * Puts `version` into the files of the checkout in `folder`: the manifests of the service, the SDK and the command line, the lock file,
 * the changelog, whose notes are returned. Throws SetupError when the changelog has nothing to release.
 */
export async function prepareTree(folder: string, version: string, at: Date): Promise<string> {
  const changelog = join(folder, "CHANGELOG.md");
  const { text, notes } = releaseChangelog(await readFile(changelog, "utf8"), version, at);
  await writeFile(changelog, text);
  for (const file of ["package.json", "sdk/package.json", "cli/package.json"]) {
    await edit(join(folder, file), (manifest) => {
      manifest.version = version;
    });
  }
  await edit(join(folder, "package-lock.json"), (lock) => {
    const packages = lock.packages as Record<string, { version: string }>;
    lock.version = version;
    for (const path of ["", "sdk", "cli"]) Object.assign(packages[path] ?? {}, { version });
  });
  return notes;
}

async function edit(file: string, change: (content: Record<string, unknown>) => void): Promise<void> {
  const before = await readFile(file, "utf8");
  const content = JSON.parse(before);
  change(content);
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
}
