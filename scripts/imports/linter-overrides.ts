import { IMPORT_ROWS, type ImportRow } from "./import-rows.ts";

/** The text of import-rows.json: overrides of the linter that hold the rows, each on a line of its own. */
export function writeImportRows(): string {
  const rows = IMPORT_ROWS.map((row) => {
    const options = { patterns: [{ group: groupOf(row), message: messageOf(row) }] };
    const style = { noRestrictedImports: { level: "error", options } };
    return `    ${JSON.stringify({ includes: row.files, linter: { rules: { style } } })}`;
  });
  return `{\n  "overrides": [\n${rows.join(",\n")}\n  ]\n}\n`;
}

function groupOf({ may, own, patterns = [] }: ImportRow): string[] {
  return ["**", ...may.flatMap(allowed), ...(OWN.get(own) ?? []), ...patterns];
}

const FOLDERS = [
  "app",
  "billing",
  "components",
  "contract",
  "db",
  "dispatcher",
  "domain",
  "mail",
  "scripts",
  "server",
  "tests",
];
const OWN = new Map<ImportRow["own"], string[]>([
  [true, ["!./*"]],
  ["below", ["!./**"]],
  ["anywhere", ["!./**", "!../**", ...FOLDERS.map((folder) => `../**/${folder}/**`), "../**/config.ts"]],
]);

function allowed(name: string): string[] {
  if (name === "node:") return ["!node:*", "!node:*/**"];
  if (name.endsWith("/")) return [name.startsWith("#") ? `!${name}**` : `!${name}*`];
  return /^(?:[#.]|node:)/.test(name) ? [`!${name}`] : [`!${name}`, `!${name}/**`];
}

function messageOf({ files, may, own, patterns = [] }: ImportRow): string {
  const who = files.map((file) => file.replace(/\/\*\*$/, "")).join(", ");
  const others = patterns.filter((one) => one.startsWith("!") && one !== "!../**").map((one) => one.slice(1));
  const what = [...may, ...others, ...(own === false ? [] : ["its own files"])];
  return `docs/architecture.md: ${who} may import only ${what.join(", ")}.`;
}
