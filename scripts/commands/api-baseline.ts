import { command } from "../command.ts";
import { API_BASELINE, writeApiBaseline } from "../release/api-baseline.ts";

await command<Record<string, never>>({
  usage: `Usage: npm run api:baseline

Writes ${API_BASELINE}: today's OpenAPI document becomes the one that tests compare later ones with. "npm run release"
does this at each release; run it alone only to accept a change that no release has promised yet.`,
  options: {},
  async run() {
    await writeApiBaseline(".");
    console.log(`Wrote ${API_BASELINE}.`);
    return 0;
  },
});
