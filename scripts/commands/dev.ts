import { command } from "../command.ts";
import { runAllParts } from "../stack/all-parts.ts";
import { NEXT } from "../stack/next.ts";
import { dispatcherPart, webPart } from "../stack/parts.ts";

await command<Record<string, never>>({
  usage: `Usage: npm run dev

Runs everything on this machine for development. After an edit the web part reloads and the dispatcher restarts.`,
  options: {},
  run: () =>
    runAllParts({
      verbose: true,
      parts: (env, web) => [dispatcherPart(env, { watch: true }), webPart(env, [NEXT, "dev"], web)],
    }),
});
