import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { extract } from "tar-stream";
import { buildPackage } from "#scripts/packages/build-package.ts";
import { readPackage, type ServedPackage } from "#server/packages/read-package.ts";

export type SdkProject = {
  /** The folder of a developer's project that has the SDK, and nothing else. */
  folder: string;
  /** The archive that it was installed from. */
  tarball: string;
  served: ServedPackage;
  remove(): Promise<void>;
};

/** A project with the SDK as an installation at `baseUrl` serves it, built from the sources. */
export async function createSdkProject(baseUrl: string): Promise<SdkProject> {
  await buildPackage("sdk");
  const served = await readPackage("sdk", baseUrl);
  const folder = await mkdtemp(join(tmpdir(), "stopwatch-sdk-project-"));
  const tarball = join(folder, `${served.id}.tgz`);
  await writeFile(tarball, served.tarball);
  const installed = join(folder, "node_modules/stopwatch-sdk");
  for (const [path, content] of await unpack(served.tarball)) await write(join(installed, path), content);
  await write(join(folder, "package.json"), '{ "type": "module", "dependencies": { "stopwatch-sdk": "*" } }');
  return { folder, tarball, served, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The files of an archive by their path in the package. */
export async function unpack(tarball: Buffer): Promise<Map<string, string>> {
  const entries = extract();
  entries.end(gunzipSync(tarball));
  const files = new Map<string, string>();
  for await (const entry of entries) files.set(entry.header.name.replace(/^package\//, ""), await text(entry));
  return files;
}

async function write(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}
