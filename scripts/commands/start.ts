import { command, UsageError } from "../command.ts";
import { runAllParts } from "../stack/all-parts.ts";
import { buildWhenNeeded } from "../stack/build.ts";
import { dispatcherParts, webPart } from "../stack/parts.ts";
import { WEB_COMMAND } from "../stack/web-command.ts";

/** Each has up to 14 database connections, and the PostgreSQL of `npm start` takes 200. */
const DISPATCHERS_MAX = 8;

await command<{ verbose?: boolean; dispatchers?: string }>({
  usage: `Usage: npm start [-- --dispatchers N] [--verbose]

Runs everything on this machine: PostgreSQL (unless DATABASE_URL names one), migrations,
the dispatcher and the web part, until Ctrl-C. Settings: see .env.example.

  --dispatchers N  how many dispatchers, 1 to ${DISPATCHERS_MAX}; 1 by default. One for every 2 cores is right.
                   They serve their metrics on DISPATCHER_PORT and the ports after it.
  --verbose        show all output of the parts, from the start
  --help           show this`,
  options: { verbose: { type: "boolean" }, dispatchers: { type: "string" } },
  run: ({ verbose = false, dispatchers = "1" }) =>
    runAllParts({
      verbose,
      dispatchers: countOf(dispatchers),
      prepare: buildWhenNeeded,
      parts: (env, web, ports) => [...dispatcherParts(env, ports), webPart(env, WEB_COMMAND, web)],
    }),
});

function countOf(text: string): number {
  const count = Number(text);
  if (!/^\d{1,2}$/.test(text) || count < 1 || count > DISPATCHERS_MAX)
    throw new UsageError(`--dispatchers needs a whole number from 1 to ${DISPATCHERS_MAX}.`);
  return count;
}
