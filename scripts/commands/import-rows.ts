import { readdir, readFile, writeFile } from "node:fs/promises";
import { command } from "../command.ts";
import { importOverrides } from "../imports/linter-overrides.ts";
import { SERVER_ROOMS } from "../imports/server-floors.ts";
import { SetupError } from "../setup-error.ts";

const FILE = "import-rows.json";

await command<{ check?: boolean }>({
  usage: `Usage: npm run fix

Writes ${FILE}, by which the linter holds who may import what, as scripts/imports/ says it.

  --check  changes nothing, fails when it differs`,
  options: { check: { type: "boolean" } },
  async run({ check }) {
    const homeless = (await roomsOfServer()).filter((room) => !SERVER_ROOMS.includes(room));
    if (homeless.length > 0) {
      throw new SetupError(`${homeless.join(", ")} of server/ has no floor in scripts/imports/server-floors.ts.`);
    }
    const rows = importOverrides().map((override) => `    ${JSON.stringify(override)}`);
    const text = `{\n  "overrides": [\n${rows.join(",\n")}\n  ]\n}\n`;
    if (check && text !== (await readFile(FILE, "utf8"))) {
      throw new SetupError(`${FILE} differs from scripts/imports/: run "npm run fix".`);
    }
    if (!check) await writeFile(FILE, text);
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
