import { command } from "../command.ts";
import { runAllParts } from "../stack/all-parts.ts";
import { NEXT } from "../stack/next.ts";
import { dispatcherPart, webPart } from "../stack/parts.ts";

await command<Record<string, never>>({
  usage: `Usage: npm run dev

Runs everything on this machine for development: the web part reloads what you edit, the dispatcher starts anew.`,
  options: {},
  run: () =>
    runAllParts({
      verbose: true,
      parts: (env, web) => [dispatcherPart(env, { watch: true }), webPart(env, [NEXT, "dev"], web)],
    }),
});
