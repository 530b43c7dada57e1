import { constants } from "node:os";
import { chdir } from "node:process";
import { fileURLToPath } from "node:url";
import { processEnv } from "#config.ts";
import { NODE_FLAGS, START_ENV } from "#dispatcher/node-flags.ts";
import { STOP_SIGNALS } from "#domain/stop-signals.ts";
import { command, UsageError } from "./command.ts";
import { commandUrl, isPart, PROGRAMS } from "./production/programs.ts";
import { assertStartable } from "./stack/assert-startable.ts";
import { WEB_COMMAND } from "./stack/web-command.ts";

/**
 * The one program of an installation without npm, such as the image: `stopwatch <program> [options]`. A part replaces this
 * process, so that it gets its signals, as process 1 of a container too.
 */
chdir(fileURLToPath(new URL("..", import.meta.url)));
const name = process.argv[2] ?? "";
const DATABASE_NEEDED = ["migrate", "account", "reconcile", "keys-rotate"];
const width = Math.max(...[...PROGRAMS.keys()].map((known) => known.length)) + 2;
const usage = `Usage: stopwatch PROGRAM [OPTIONS]

${[...PROGRAMS].map(([known, does]) => `${known.padEnd(width)}${does}`).join("\n")}

"stopwatch PROGRAM --help" lists its options. The settings are environment variables (docs/settings.md).`;

if (PROGRAMS.has(name) && !isPart(name)) {
  process.argv.splice(2, 1);
  // Process 1 ends at a signal only if it says so.
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => process.listenerCount(signal) === 1 && process.exit(128 + constants.signals[signal]));
  }
  if (DATABASE_NEEDED.includes(name) && !process.argv.includes("--help")) exitWithoutDatabase();
  await import("#db/quick-drizzle.ts");
  await import(commandUrl(name).href);
} else {
  await command<Record<string, never>>({
    usage: isPart(name) ? `Usage: stopwatch ${name}\n\n${PROGRAMS.get(name)}` : usage,
    options: {},
    positionals: 1,
    async run(_, [part]) {
      if (part === undefined || !isPart(part)) throw new UsageError(unknown(part));
      const { host, port } = await assertStartable(part as "web" | "dispatcher");
      if (part === "web") become([...WEB_COMMAND, "--hostname", host, "--port", String(port)]);
      become([...NODE_FLAGS, "dispatcher/main.ts"], START_ENV);
    },
  });
}

function exitWithoutDatabase(): void {
  const isSet = (setting: string) => processEnv()[setting] || processEnv()[`${setting}_FILE`];
  if (["DATABASE_URL", "DATABASE_DIRECT_URL", "DATABASE_OWNER_URL"].some(isSet)) return;
  console.error("DATABASE_URL is not set: this installation brings no PostgreSQL, so name yours.");
  process.exit(1);
}

function unknown(given: string | undefined): string {
  const known = [...PROGRAMS.keys()].join(", ");
  return given === undefined ? `Name a program: ${known}.` : `There is no program "${given}": name one of ${known}.`;
}

function become(args: string[], defaults: Record<string, string> = {}): never {
  const env: Record<string, string | undefined> = { ...defaults, ...processEnv() };
  process.execve?.(process.execPath, [process.execPath, ...args], env as NodeJS.ProcessEnv);
  throw new Error("This Node.js cannot replace its process: it is to be version 24, not on Windows.");
}
