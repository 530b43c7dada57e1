import { type ChildProcess, spawn } from "node:child_process";
import { env } from "node:process";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { freePort } from "#scripts/ports.ts";
import { SetupError } from "#scripts/setup-error.ts";
import { aborted } from "../aborted.ts";

export type Stack = {
  /** The base address of the API. */
  baseUrl: string;
  /** A link that signs the owner of the account in, once, within 15 minutes. */
  signInUrl: string;
  /** Creates an account on the Indie plan with a live key, by `npm run account`. */
  createAccount(): Promise<{ accountId: string; key: string }>;
  /** Resolves when it ends without `stop`, with how it ended. */
  ended: Promise<string>;
  /** Stops everything in order. */
  stop(): Promise<void>;
};

/**
 * Starts what `npm start` starts, with its data in `dataDir` and ports of its own, allowed to deliver to one receiver
 * on this machine. It uses no settings of a real installation. Resolves when it is ready. Throws a SetupError when it
 * ends before that, and the reason when `signal` aborts.
 */
export async function startStack(wanted: {
  dataDir: string;
  receiver: { port: number; caFile: string };
  onLine: (line: string) => void;
  signal: AbortSignal;
}): Promise<Stack> {
  const settings = await demoSettings(wanted);
  const { child, exited } = runScript(["start"], settings);
  const ready = Promise.withResolvers<{ baseUrl: string; signInUrl: string }>();
  let baseUrl = "";
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream as NodeJS.ReadableStream).on("line", (line) => {
      wanted.onLine(line);
      const [, address] = /^stopwatch \| ready: (http\S+)$/.exec(line) ?? [];
      if (address) baseUrl = address;
      const [, signInUrl] = /^stopwatch \| sign in as .*: (http\S+)$/.exec(line) ?? [];
      if (signInUrl) ready.resolve({ baseUrl, signInUrl });
    });
  }
  const ended = exited.then((how) => `npm start ended unexpectedly (${how}).`);
  const stop = async () => {
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS_MAX);
    await exited;
    clearTimeout(timer);
  };

  try {
    const addresses = await Promise.race([ready.promise, ended.then(failStart), aborted(wanted.signal)]);
    return { ...addresses, createAccount: () => createAccount(settings), ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** More than the 35 s that the dispatcher may take, plus the stop of the other parts. */
const STOP_MS_MAX = 60_000;

async function demoSettings({ dataDir, receiver }: Parameters<typeof startStack>[0]): Promise<NodeJS.ProcessEnv> {
  const unset = [
    ...["DATABASE_URL", "DATABASE_DIRECT_URL", "ENCRYPTION_KEYS", "BASE_URL", "DEFAULT_PLAN", "LOG_LEVEL"],
    ...["TRUSTED_PROXIES", "METRICS_TOKEN", "COOKIE_DOMAIN", "SIGNUP", "AUTH_SECRET", "RESEND_API_KEY"],
    ...["AUTH_GOOGLE_ID", "AUTH_GOOGLE_SECRET", "AUTH_GITHUB_ID", "AUTH_GITHUB_SECRET"],
    ...[
      "DELIVERY_DENY",
      "DELIVERY_CONNECTIONS_PER_ORIGIN",
      "DELIVERY_CONNECTIONS_PER_ACCOUNT",
      "DELIVERY_CONNECTIONS_MAX",
    ],
  ];
  return {
    ...env,
    ...Object.fromEntries(unset.map((name) => [name, ""])),
    DATA_DIR: dataDir,
    ADMIN_EMAILS: EMAIL,
    HOST: "127.0.0.1",
    PORT: String(await freePort()),
    DISPATCHER_PORT: String(await freePort()),
    PLANS: JSON.stringify({ indie: { retryBackoffMs: 1_000, requestsPerMinute: 100_000 } }),
    DELIVERY_ALLOW: `localhost:${receiver.port}`,
    DELIVERY_CA_FILE: receiver.caFile,
  };
}

async function createAccount(settings: NodeJS.ProcessEnv): Promise<{ accountId: string; key: string }> {
  const { child, exited } = runScript([...CREATE_ACCOUNT], settings);
  const [out, errors, how] = await Promise.all([textOf(child.stdout), textOf(child.stderr), exited]);
  if (how !== "exit code 0") throw new SetupError(`npm run account ended with ${how}.\n${errors}`.trimEnd());
  return JSON.parse(out);
}

const EMAIL = "demo@example.com";
const CREATE_ACCOUNT = ["account", "create", "--email", EMAIL, "--plan", "indie", "--key", "live"];
const STOP_WITH_PARENT = new URL("./stop-with-parent.mjs", import.meta.url).href;

// Runs in a process group of its own: the terminal's Ctrl-C reaches only the demo, which stops everything in order.
function runScript(args: string[], settings: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, ["--import", STOP_WITH_PARENT, "scripts/run.mjs", ...args], {
    detached: process.platform !== "win32",
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: settings,
    windowsHide: true,
  });
  const exited = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
  });
  return { child, exited };
}

async function textOf(stream: ChildProcess["stdout"]): Promise<string> {
  return stream ? text(stream) : "";
}

function failStart(how: string): never {
  throw new SetupError(how);
}
