import { spawn } from "node:child_process";
import { readConfig } from "#config.ts";
import { createLog } from "#server/log.ts";
import { command } from "../command.ts";
import { assertStartable } from "../stack/assert-startable.ts";
import { buildWhenNeeded } from "../stack/build.ts";
import { WEB_COMMAND } from "../stack/web-command.ts";
import { listenForStop } from "../stop-signal.ts";

await command<Record<string, never>>({
  usage: `Usage: npm run web

Runs the web part alone, on the database of DATABASE_URL. Any number of them may run. Settings: see .env.example.`,
  options: {},
  async run() {
    const { host, port } = await assertStartable("web");
    const log = createLog(readConfig().logLevel);
    await buildWhenNeeded({ onLog: (line) => log.info(line) });
    const child = spawn(process.execPath, [...WEB_COMMAND, "--hostname", host, "--port", String(port)], {
      stdio: "inherit",
    });
    // What a terminal sends reaches both processes. A SIGTERM reaches only this one.
    const stop = listenForStop(() => child.kill("SIGKILL"));
    stop.addEventListener("abort", () => child.kill("SIGTERM"));
    return new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      // Next.js exits with these codes after SIGINT and SIGTERM, once it has finished its requests.
      child.once("exit", (code) => resolve(code === 130 || code === 143 ? 0 : (code ?? 1)));
    });
  },
});
