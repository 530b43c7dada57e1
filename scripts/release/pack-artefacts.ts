import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import manifest from "#package.json" with { type: "json" };
import { gzipStored } from "#server/packages/gzip-stored.ts";
import { readPackage } from "#server/packages/read-package.ts";
import { openApiDocument } from "#server/reference/openapi.ts";
import { buildPackage } from "../packages/build-package.ts";
import { describeCheckout } from "../sbom/describe-checkout.ts";
import { git, gitBytes } from "./git.ts";

export type Artefact = { name: string; bytes: number; sha256: string };

/** The address that an installation has unless its operator sets another one (`config.ts`). */
const ADDRESS = "http://localhost:3000";

/**
 * Packs what a release consists of into `out`, from the commit that is checked out in the working folder: the sources, the SDK, the
 * command line, the list of what production consists of, the OpenAPI document, and SHA256SUMS. The same commit makes the same bytes, so
 * nothing is compressed and each time is that of the commit. Throws SetupError unless the files are those of the commit.
 */
export async function packArtefacts(out: string): Promise<Artefact[]> {
  const { name, version } = manifest;
  const release = `${name}-${version}`;
  const archive = ["archive", "--format=tar", `--prefix=${release}/`, "HEAD"];
  const committedAt = new Date(await git(".", "log", "-1", "--format=%cI"));
  await Promise.all([buildPackage("sdk"), buildPackage("cli")]);
  const sdk = await readPackage("sdk", ADDRESS);
  const cli = await readPackage("cli", ADDRESS);
  const files: [name: string, content: Buffer][] = [
    [`${release}.tar.gz`, gzipStored(await gitBytes(".", "-c", "tar.umask=0022", ...archive))],
    [`${sdk.id}.tgz`, sdk.tarball],
    [`${cli.id}.tgz`, cli.tarball],
    [`${release}.cdx.json`, asLines(await describeCheckout(committedAt))],
    [`${release}.openapi.json`, asLines(JSON.stringify(openApiDocument(ADDRESS), null, 2))],
  ];
  const artefacts = files.map(([file, content]) => ({ name: file, bytes: content.length, sha256: hashOf(content) }));
  const sums = artefacts.map(({ sha256, name: file }) => `${sha256}  ${file}`).join("\n");
  await mkdir(out, { recursive: true });
  for (const [file, content] of [...files, ["SHA256SUMS", asLines(sums)] as const]) {
    await writeFile(join(out, file), content);
  }
  return artefacts;
}

const asLines = (text: string) => Buffer.from(`${text}\n`);
const hashOf = (content: Buffer) => createHash("sha256").update(content).digest("hex");
