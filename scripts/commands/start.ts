import { command } from "../command.ts";
import { runAllParts } from "../stack/all-parts.ts";
import { buildWhenNeeded } from "../stack/build.ts";
import { JSON_LINES, NEXT } from "../stack/next.ts";
import { dispatcherPart, webPart } from "../stack/parts.ts";

await command<{ verbose?: boolean }>({
  usage: `Usage: npm start [-- --verbose]

Runs everything on this machine: PostgreSQL (unless DATABASE_URL names one), migrations,
the dispatcher and the web part, until Ctrl-C. Settings: see .env.example.

  --verbose  show all output of the parts, from the start
  --help     show this`,
  options: { verbose: { type: "boolean" } },
  run: ({ verbose = false }) =>
    runAllParts({
      verbose,
      prepare: buildWhenNeeded,
      parts: (env, web) => [dispatcherPart(env), webPart(env, [...JSON_LINES, NEXT, "start"], web)],
    }),
});
