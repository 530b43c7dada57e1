import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { env as ownEnvironment } from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { SetupError } from "#scripts/setup-error.ts";

export type Stack = {
  baseUrl: string;
  /** Runs the operator command that makes an Indie account with a live key. */
  createAccount(): Promise<{ accountId: string; key: string }>;
  /** Settles when it ends without `stop`. */
  ended: Promise<string>;
  /** Ends it in order, as Ctrl-C does. */
  stop(): Promise<void>;
};

/**
 * Starts everything as `npm start` does, with its data in `folder`. Resolves when it is ready; throws a SetupError when
 * it ends before. What it writes goes to `onLine`. The terminal's Ctrl-C does not reach it, and it ends with this process.
 */
export async function startStack(settings: Settings, onLine: (line: string) => void): Promise<Stack> {
  const env = { ...ownEnvironment, ...settings };
  const child = spawn(process.execPath, ["--import", END_WITH_PARENT, RUN, "start"], {
    env,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  const exited = once(child, "exit");
  const ended = exited.then(([code, signal]) => `Stopwatch ended unexpectedly (${signal ?? `exit code ${code}`}).`);
  const first = await Promise.race([readReadyLine(child, onLine), ended]);
  if (!("url" in Object(first))) throw new SetupError(first as string);
  return {
    baseUrl: (first as { url: string }).url,
    async createAccount() {
      const args = ["account", "create", "--email", "demo@example.com", "--plan", "indie", "--key", "live"];
      const { stdout } = await promisify(execFile)(process.execPath, [RUN, ...args], { env });
      return JSON.parse(stdout);
    },
    ended,
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** Every setting of Stopwatch, so that neither the environment nor a `.env` has a say; "" is its default. */
export function demoSettings(folder: string, receiverPort: number) {
  return {
    DATABASE_URL: "",
    DATABASE_DIRECT_URL: "",
    DATA_DIR: join(folder, "data"),
    PORT: "0",
    HOST: "127.0.0.1",
    BASE_URL: "",
    DISPATCHER_PORT: "0",
    ENCRYPTION_KEYS: "",
    PLANS: JSON.stringify({ indie: { retryBackoffMs: 1_000 } }),
    DEFAULT_PLAN: "",
    DELIVERY_ALLOW: `localhost:${receiverPort}`,
    DELIVERY_DENY: "",
    DELIVERY_CA_FILE: join(folder, "ca.pem"),
    DELIVERY_CONNECTIONS_PER_ORIGIN: "",
    DELIVERY_CONNECTIONS_PER_ACCOUNT: "",
    DELIVERY_CONNECTIONS_MAX: "",
    LOG_LEVEL: "",
  };
}

type Settings = ReturnType<typeof demoSettings>;

const RUN = fileURLToPath(new URL("../run.mjs", import.meta.url));
const END_WITH_PARENT = new URL("../end-with-parent.mjs", import.meta.url).href;

function readReadyLine(child: ChildProcess, onLine: (line: string) => void): Promise<{ url: string }> {
  return new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue;
      createInterface(stream).on("line", (line) => {
        const url = /\bready: (http\S+)/.exec(line)?.[1];
        if (url) resolve({ url });
        else onLine(line);
      });
    }
  });
}
