import { command } from "../command.ts";
import { buildWhenNeeded } from "../stack/build.ts";

await command<{ to?: string }>({
  usage: `Usage: npm run build [-- --to FOLDER]

Builds the web part, unless it is built from these sources already. "npm start" and "npm run web" do so by themselves, but
only where they may write.

  --to FOLDER  also copies what production needs to this new folder, without npm and what builds:
               "node FOLDER/scripts/stopwatch.ts --help" says what runs there`,
  options: { to: { type: "string" } },
  async run({ to }) {
    await buildWhenNeeded({ onLog: console.log });
    console.log("The web part is built from these sources.");
    if (to === undefined) return 0;
    // Loads the compiler.
    const { copyProduction } = await import("../production/copy-production.ts");
    await copyProduction(to);
    console.log(`${to} has what production needs.`);
    return 0;
  },
});
