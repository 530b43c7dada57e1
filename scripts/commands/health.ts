import { readFile } from "node:fs/promises";
import { processEnv, readLauncherConfig } from "#config.ts";
import { command, UsageError } from "../command.ts";
import { localUrl } from "../stack/local-url.ts";

const DEADLINE_MS = 5_000;

await command<Record<string, never>>({
  usage: `Usage: stopwatch health [web | dispatcher]

Asks the web part or the dispatcher on this machine whether it is alive, and exits with 0 if it is. In a container it
finds out by itself which of them runs there.`,
  options: {},
  positionals: 1,
  async run(_, [given]) {
    const part = given ?? (await runningPart());
    if (part !== "web" && part !== "dispatcher") throw new UsageError("Name the part to ask: web or dispatcher.");
    // Nothing but these: systemd 252 hides the files of secrets from what it runs after a start.
    const { HOST, PORT, DISPATCHER_PORT } = processEnv();
    const { host, port, dispatcherPort } = readLauncherConfig({ HOST, PORT, DISPATCHER_PORT });
    const url = localUrl(host, part === "web" ? port : dispatcherPort, "/healthz");
    const answer = await fetch(url, { signal: AbortSignal.timeout(DEADLINE_MS) }).catch((error) => error as Error);
    if (answer instanceof Error) {
      console.error(`${url} does not answer: ${(answer.cause as Error | undefined)?.message || answer.message}.`);
      return 1;
    }
    console.log(await answer.text());
    return answer.ok ? 0 : 1;
  },
});

/** By the command line of the container's first process. */
async function runningPart(): Promise<string | undefined> {
  const words = (await readFile("/proc/1/cmdline", "utf8").catch(() => "")).split(/[\0/]/);
  if (words.includes("dispatcher")) return "dispatcher";
  return words.some((word) => word === "web" || word === "web-server.ts" || word.startsWith("next-server"))
    ? "web"
    : undefined;
}
