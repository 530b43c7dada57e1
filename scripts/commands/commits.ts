import { command } from "../command.ts";
import { checkHistory } from "../commits/check-history.ts";

await command<Record<string, never>>({
  usage: `Usage: node scripts/run.mjs commits

Checks the subject of each commit since the one that added this check, merges left out: "part: what changes" in at most 72
characters. Prints those that are wrong and exits with 1. Without that commit in the history, as in a packed tree or a
shallow clone, it says so and exits with 0.`,
  options: {},
  async run() {
    const result = await checkHistory(".");
    if ("notRun" in result) {
      console.log(`Commit subjects: not run: ${result.notRun}.`);
      return 0;
    }
    for (const { hash, subject, faults } of result.offenders)
      console.error(`${hash} "${subject}" ${faults.join(", ")}.`);
    return result.offenders.length > 0 ? 1 : 0;
  },
});
