import { readdir, readFile, writeFile } from "node:fs/promises";
import { command } from "../command.ts";
import { writeImportRows } from "../imports/linter-overrides.ts";
import { SERVER_ROOMS } from "../imports/server-floors.ts";
import { writeAnswers } from "../sdk-types/write-answers.ts";
import { SetupError } from "../setup-error.ts";

/** The files that are written from sources, and by what. */
const FILES = new Map([
  ["import-rows.json", writeImportRows],
  ["sdk/src/answers.ts", writeAnswers],
]);

await command<{ check?: boolean }>({
  usage: `Usage: npm run fix

Writes the files that are made from sources of the project: by import-rows.json the linter holds who may import what
(scripts/imports/), and sdk/src/answers.ts has the SDK's types of what the API answers (contract/).

  --check  changes nothing, fails when one differs`,
  options: { check: { type: "boolean" } },
  async run({ check }) {
    const homeless = (await roomsOfServer()).filter((room) => !SERVER_ROOMS.includes(room));
    if (homeless.length > 0) {
      throw new SetupError(`${homeless.join(", ")} of server/ has no floor in scripts/imports/server-floors.ts.`);
    }
    for (const [file, write] of FILES) {
      const text = write();
      if (text === (await readFile(file, "utf8").catch(() => ""))) continue;
      if (check) throw new SetupError(`${file} differs from what it is made of: run "npm run fix".`);
      await writeFile(file, text);
    }
    return 0;
  },
});

/** The folders of `server/` that hold code, as they are named on the floors, and the files beside them. */
async function roomsOfServer(): Promise<string[]> {
  const files = await readdir("server", { recursive: true, withFileTypes: true });
  const paths = files
    .filter((file) => file.isFile() && file.name.endsWith(".ts"))
    .map((file) => `${file.parentPath.replaceAll("\\", "/")}/${file.name}`.slice("server/".length));
  return [...new Set(paths.map((path) => (path.includes("/") ? path.slice(0, path.lastIndexOf("/") + 1) : path)))];
}
