import { readServerVersion } from "#db/queries/fleet/server-version.ts";
import { type ServerVersion, securityNotice } from "#domain/postgres-releases.ts";
import { type Check, type Finding, ok, warning } from "../check.ts";

export const version: Check = {
  name: "version",
  needs: ["database"],
  run: async ({ read, isEmbedded }) => judgeVersion(await read(readServerVersion), isEmbedded),
};

/** Of a version that is not too old: that throws before. */
export function judgeVersion(server: ServerVersion, isEmbedded: boolean): Finding {
  const notice = securityNotice(server, "");
  if (notice === undefined)
    return ok(`PostgreSQL ${server.text.split(" ")[0]} lacks no security fix that is known here`);
  const [, found = notice] = /^the database is (.*?):? *$/.exec(notice) ?? [];
  const todo = isEmbedded
    ? "npm has no newer one: to serve others, use your distribution's (docs/own-database.md)."
    : "Update the server, unless its vendor applied them under another number.";
  return warning(found, todo);
}
