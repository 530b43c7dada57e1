import { connect } from "#db/client.ts";
import { assertSettingsFit } from "#db/queries/fleet/server-settings.ts";
import { type Check, type Finding, ok, warning } from "../check.ts";
import { CHECK_MS_MAX } from "../context.ts";

/** The settings of PostgreSQL, as the service's sessions have them. */
export const server: Check = {
  name: "server",
  needs: ["pooler"],
  async run({ urls, ask }) {
    if (!urls) throw new Error("there is no address");
    // With the settings that the service sends.
    const direct = connect({ url: urls.direct, name: "stopwatch doctor", connectionsMax: 1 });
    try {
      const found = await direct.run(CHECK_MS_MAX, ({ sql }) => assertSettingsFit(sql));
      const pooled = urls.pooled ? await ask((sql) => assertSettingsFit(sql, { isPooled: true }), urls.pooled) : null;
      return judgeServer([...found.warnings, ...(pooled?.warnings ?? [])]);
    } finally {
      await direct.close();
    }
  },
};

/** Of settings with which the service can work: others throw before. */
export function judgeServer(warnings: readonly string[]): Finding {
  if (warnings.length === 0) return ok("PostgreSQL's settings change no answer and lose nothing");
  return warning([...new Set(warnings)].join("; "), "Correct them on the server (docs/own-database.md).");
}
