import { command } from "#scripts/command.ts";
import { beginLanding } from "./landing.ts";

await command({
  usage: `Usage: npm run landing [-- COMMIT]

Begins the next landing after COMMIT (HEAD), which has landed: writes .ci/landing, to be committed with the first change. The number
says which long tests have their turn; what changed since COMMIT says which others run.`,
  options: {},
  positionals: 1,
  async run(_, [commit = "HEAD"]) {
    console.log(beginLanding(commit));
    return 0;
  },
});
