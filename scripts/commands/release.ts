import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import manifest from "#package.json" with { type: "json" };
import { command } from "../command.ts";
import { release } from "../release/release.ts";

await command<{ version: string; out?: string; "dry-run": boolean }>({
  usage: `Usage: npm run release -- [--dry-run] [--version x.y.z] [--out folder]

Makes a release of main, on this machine alone: moves the changelog's "Unreleased" section to the version, sets the version
of the service and of the SDK, makes today's API the one that later versions are compared with, commits that, sets the tag,
packs the artefacts with their checksums, and prints what is left to do. It never pushes. See scripts/release/README.md.

  --dry-run        does the same in a checkout of its own, and leaves main and the tags as they are
  --version x.y.z  ${manifest.version} unless given, the version in package.json
  --out folder     where the artefacts go, a new folder in the one for temporary files unless given`,
  options: {
    version: { type: "string", default: manifest.version },
    out: { type: "string" },
    "dry-run": { type: "boolean", default: false },
  },
  async run({ version, out, "dry-run": isDry }) {
    const folder = out === undefined ? await mkdtemp(join(tmpdir(), "stopwatch-artefacts-")) : resolve(out);
    const { tag, commit, notes, files, artefacts } = await release(version, folder, new Date(), isDry);
    console.log(`\nChangelog of ${version}:\n\n${notes}\n\nThe commit changes:\n\n${files}\n\n${artefacts}\n`);
    console.log(
      isDry ? `Nothing is released: main is as it was, and there is no tag ${tag}.` : leftToDo(tag, commit, folder),
    );
    return 0;
  },
});

function leftToDo(tag: string, commit: string, folder: string): string {
  return `${tag} is ${commit}. What is left, once .ci/run has passed on it:

  git push --atomic origin main ${tag}

Then publish the changelog's section and the files of ${folder} as the release ${tag}. To take it back before that:

  git tag --delete ${tag} && git reset --keep ${commit}~1`;
}
