import { serverRows } from "./server-floors.ts";

/**
 * What the files that match `files` may import: a package with its parts, `node:` for all of Node.js, a file, or the files of a
 * folder, which ends in a slash; such a name that begins with `#` has the folders below it too. `own`: what is beside the file;
 * "below": below it too; "anywhere": all of the top folder, by relative paths. A later row replaces an earlier one.
 */
export type ImportRow = {
  files: readonly string[];
  may: readonly string[];
  own: boolean | "below" | "anywhere";
  /** Forbidden all the same, and allowed after that, as the linter writes them. */
  patterns?: readonly string[];
};

const row = (files: string | string[], own: ImportRow["own"], may: string[], patterns?: string[]): ImportRow => ({
  files: [files].flat(),
  own,
  may,
  patterns,
});

const PAGES = ["#contract/", "#server/", "#components/", "#domain/", "react", "next"];
const PARTS = ["#components/", "#domain/", "react", "next", "lucide"];
const UP_TO_CLI = ["../../**", ...["../../", "../../../"].flatMap((up) => [`!${up}sdk/src/**`, `!${up}domain/*`])];

/** docs/architecture.md says what each folder is for. */
export const IMPORT_ROWS: readonly ImportRow[] = [
  row("domain/**", true, ["croner", "zod", "node:crypto", "node:zlib", "ipaddr.js", "@noble/hashes"]),
  row("contract/**", "below", ["#domain/", "zod"]),
  row("contract/inputs/**", true, ["#domain/", "zod", "../endpoint.ts", "../fields.ts"]),
  row("config.ts", false, ["zod", "node:fs", "#domain/", "./secret-files.ts"]),
  row("db/**", "anywhere", [
    ...["#domain/", "#db/", "drizzle-orm", "postgres"],
    ...["node:fs", "node:path", "node:crypto", "node:url", "node:module", "node:tls"],
  ]),
  row("billing/**", true, ["#domain/", "#db/", "#config.ts", "stripe", "node:"]),
  row("mail/**", true, ["#domain/", "#config.ts", "resend", "node:"]),
  ...serverRows(),
  row("app/**", "anywhere", [...PAGES, "react-dom/server", "lucide"]),
  row("pages/**", false, PAGES, ["!**/app/fonts.ts", "!**/app/globals.css", "!**/app/(public)/**"]),
  row("components/**", "anywhere", PARTS),
  row(["components/docs/**", "components/ui/highlight-code.ts"], "anywhere", [...PARTS, "lowlight", "marked"]),
  row("dispatcher/**", "below", [
    ...["#domain/", "#db/", "#config.ts", "#mail/", "#billing/", "#package.json", "pino", "node:"],
  ]),
  row("dispatcher/tuning/**", false, []),
  row("dispatcher/runtime/**", true, ["node:", "../tuning/"]),
  row("dispatcher/observability/**", true, ["#domain/", "#db/client.ts", "pino", "prom-client", "node:"]),
  row("dispatcher/delivery/**", true, ["#domain/", "#db/queries/", "undici", "../runtime/", "../tuning/"]),
  row("dispatcher/connections/**", true, ["#domain/", "undici", "node:", "../delivery/", "../runtime/", "../tuning/"]),
  row("dispatcher/admission/**", true, ["#domain/", "../connections/", "../delivery/", "../runtime/", "../tuning/"]),
  row("dispatcher/rates/**", true, ["../delivery/", "../runtime/", "../tuning/"]),
  row(["dispatcher/listening/**", "dispatcher/intake/**"], true, [
    "#domain/",
    "#db/",
    "../delivery/",
    "../runtime/",
    "../tuning/",
  ]),
  row("dispatcher/claiming/**", true, [
    "#domain/",
    "#db/",
    "p-queue",
    "../delivery/",
    "../runtime/",
    "../observability/",
    "../tuning/",
  ]),
  row("dispatcher/sending/**", true, [
    ...[
      "#domain/",
      "undici",
      "../delivery/",
      "../runtime/",
      "../observability/",
      "../connections/pool.ts",
      "../tuning/",
    ],
  ]),
  row("dispatcher/recording/**", true, [
    "#domain/",
    "#db/",
    "pino",
    "../delivery/",
    "../runtime/",
    "../observability/",
    "../tuning/",
  ]),
  row("dispatcher/notices/**", true, ["#domain/", "#db/", "#mail/", "pino", "node:crypto"]),
  row(["dispatcher/operations/**", "dispatcher/recurrences/**", "dispatcher/retention/**"], true, [
    "#domain/",
    "#db/",
    "pino",
  ]),
  row("scripts/lab/**", true, ["@peculiar/x509", "reflect-metadata", "node:"]),
  row("scripts/demo/**", true, [
    "standardwebhooks",
    "@peculiar/x509",
    "reflect-metadata",
    "node:",
    "zod",
    "../",
    "#scripts/",
  ]),
  row("cli/src/**", "below", ["commander", "node:"], ["!../**", ...UP_TO_CLI]),
  row("cli/src/mcp/**", "below", ["@modelcontextprotocol/server", "node:"], ["!../**", ...UP_TO_CLI]),
  row("sdk/src/**", "below", [], ["!../**", "../../**"]),
  row("sdk/src/testing/**", true, [], ["!../**", "../../**", "!../../../contract/**", "!../../../domain/*"]),
];
