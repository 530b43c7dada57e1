import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { command } from "../command.ts";
import { assertCommitted } from "../release/assert-committed.ts";
import { packArtefacts } from "../release/pack-artefacts.ts";

await command<{ out?: string }>({
  usage: `Usage: npm run artefacts -- [--out folder]

Packs what a release consists of, from the commit that is checked out: the sources, the SDK, the list of packages (CycloneDX)
and the OpenAPI document, with their SHA-256 checksums. The same commit makes the same checksums, so anyone can compare
those of a release.

  --out folder  where to, a new folder in the one for temporary files unless given`,
  options: { out: { type: "string" } },
  async run({ out }) {
    await assertCommitted(".");
    const folder = out === undefined ? await mkdtemp(join(tmpdir(), "stopwatch-artefacts-")) : resolve(out);
    for (const { name, bytes, sha256 } of await packArtefacts(folder)) console.log(`${sha256}  ${bytes}  ${name}`);
    console.log(`They are in ${folder}, with SHA256SUMS.`);
    return 0;
  },
});
