import manifest from "#package.json" with { type: "json" };
import { command } from "../command.ts";
import { CHECKS } from "../doctor/checks.ts";
import { openContext } from "../doctor/context.ts";
import { lineOf, overall, summaryOf } from "../doctor/report.ts";
import { runChecks } from "../doctor/run-checks.ts";

await command<{ json?: boolean }>({
  usage: `Usage: npm run doctor -- [--json]

Checks the settings, the database and what this installation needs of both, while it runs: one line for each check, with
what was found and what to do. Run it where web process and dispatcher run, with their settings. It changes nothing, sends
no mail, shows no secret, and takes 5 s at most for each check; one that is slower is a warning. Without DATABASE_URL it looks at the embedded database, and
does not start it.

  --json  prints one JSON object: { status, version, checks: [{ name, status, found, todo? }] }

The status is ok, warning, failure or skipped, which says that nothing could be said. Exit code: 0 when no check failed,
warnings included; 1 when one failed; 2 for an invalid option.`,
  options: { json: { type: "boolean" } },
  async run({ json = false }) {
    const context = await openContext();
    try {
      const results = await runChecks(CHECKS, context, (result) => {
        if (!json) console.log(lineOf(result));
      });
      const status = overall(results);
      console.log(
        json ? JSON.stringify({ status, version: manifest.version, checks: results }) : `\n${summaryOf(results)}`,
      );
      return status === "failure" ? 1 : 0;
    } finally {
      await context.close();
    }
  },
});
