import { assertSession } from "#db/assert-session.ts";
import { readSessionFacts } from "#db/queries/fleet/session-facts.ts";
import { ALL_SETTINGS } from "#dispatcher/databases.ts";
import { type Check, type Finding, ok, warning } from "../check.ts";

/** Whether the address for dispatchers and migrations keeps sessions. */
export const pooler: Check = {
  name: "pooler",
  needs: ["database"],
  async run({ urls, ask }) {
    if (!urls) throw new Error("there is no address");
    await assertSession(urls.direct, ALL_SETTINGS);
    if (urls.pooled === null) return judgePooled(null);
    return judgePooled(await ask(readSessionFacts, urls.pooled));
  },
};

/** `pooled` is what was found at DATABASE_URL, where that is another address than DATABASE_DIRECT_URL. */
export function judgePooled(pooled: { role: string; statementTimeoutMs: number } | null): Finding {
  if (pooled === null) return ok("none that drops sessions: the address keeps them");
  if (pooled.statementTimeoutMs > 0)
    return ok(
      `DATABASE_DIRECT_URL keeps sessions, and DATABASE_URL ends statements after ${pooled.statementTimeoutMs} ms`,
    );
  return warning(
    "DATABASE_DIRECT_URL keeps sessions, and DATABASE_URL has no limit for statements, which web processes cannot set there",
    `Run ALTER ROLE ${JSON.stringify(pooled.role)} SET statement_timeout = '3500ms', and SET lock_timeout = '3s'.`,
  );
}
