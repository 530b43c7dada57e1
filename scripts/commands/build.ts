import { command } from "../command.ts";
import { buildWhenNeeded } from "../stack/build.ts";

await command<Record<string, never>>({
  usage: `Usage: npm run build

Builds the web part, unless it is built from these sources already. "npm start" and "npm run web" do so by themselves, but
only where they may write.`,
  options: {},
  async run() {
    await buildWhenNeeded({ onLog: console.log });
    console.log("The web part is built from these sources.");
    return 0;
  },
});
