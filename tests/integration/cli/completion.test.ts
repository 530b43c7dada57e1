// Needs: shells

import { execFile, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli, runCli } from "#tests/helpers/cli-process.ts";
import { emptyFolders } from "#tests/helpers/empty-folders.ts";

const emptyFolder = emptyFolders();

const folder = emptyFolder();
const scriptOf = (shell: string) => join(folder, `stopwatch.${shell}`);

beforeAll(async () => {
  await buildCli();
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, stdout, stderr } = await runCli(["completion", shell]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    writeFileSync(scriptOf(shell), stdout);
  }
});

const run = async (program: string, ...args: string[]) =>
  (await promisify(execFile)(program, args, { cwd: folder, timeout: 30_000 })).stdout;

/** What each shell offers for the last of these words. */
const COMPLETERS: Record<string, (words: string[]) => Promise<string[]>> = {
  async bash(words) {
    const line = words.map((word) => `'${word}'`).join(" ");
    const code = `source ${scriptOf("bash")}; COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _stopwatch`;
    return lines(await run("bash", "-c", `${code}; printf '%s\\n' "\${COMPREPLY[@]}"`));
  },
  async fish(words) {
    const offered = await run(
      "fish",
      "--no-config",
      "-c",
      `source ${scriptOf("fish")}; complete -C '${words.join(" ")}'`,
    );
    return lines(offered).map((line) => line.split("\t")[0] as string);
  },
  /** Types the words and Tab in an interactive zsh, and reads what it made of them. */
  async zsh(words) {
    const typed = words.join(" ");
    const driver = `
      zmodload zsh/zpty
      zpty z zsh -f -i
      zpty -w z "PS1= RPS1= ; autoload -Uz compinit; compinit -u -D; source ${scriptOf("zsh")}; LISTMAX=1000; print READY"
      zpty -r z out '*READY*READY*'
      zpty -w -n z '${typed}'$'\\t'
      zpty -w z $'\\C-a: \\C-e; print DONE'
      zpty -r z out '*DONE*DONE*'
      print -r -- $out`;
    const text = stripVTControlCharacters(await run("zsh", "-f", "-c", driver));
    return [...text.matchAll(/[\w-]+/g)].map(([word]) => word);
  },
};

const lines = (text: string) => text.split("\n").filter((line) => line !== "");
const isInstalled = (shell: string) => spawnSync(shell, ["-c", "exit 0"]).status === 0;

for (const shell of ["bash", "zsh", "fish"]) {
  if (!isInstalled(shell)) console.warn(`not run: completion in ${shell}, which is not installed`);
  describe.skipIf(!isInstalled(shell))(`in ${shell}`, () => {
    const complete = COMPLETERS[shell] as (words: string[]) => Promise<string[]>;

    it("a verb is completed", async () => {
      expect(await complete(["stopwatch", "resch"])).toContain("reschedule");
    });

    it("an option of the verb is completed, and none of another verb", async () => {
      const offered = await complete(["stopwatch", "schedule", "--key"]);
      expect(offered).toContain("--key-for-once");
      expect(await complete(["stopwatch", "get", "--key"])).not.toContain("--key-for-once");
    });

    it("the values of an option and of an argument are completed", async () => {
      expect(await complete(["stopwatch", "list", "--output", "ta"])).toContain("table");
      expect(await complete(["stopwatch", "completion", "fi"])).toContain("fish");
    });
  });
}
