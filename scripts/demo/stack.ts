import { env } from "node:process";
import { startProgram } from "#scripts/lab/program.ts";
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
  /** Rejects when it ends without `stop`. */
  lost: Promise<never>;
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
  const ready = Promise.withResolvers<{ baseUrl: string; signInUrl: string }>();
  let baseUrl = "";
  const started = runScript(["start"], settings, (line) => {
    wanted.onLine(line);
    const [, address] = /^stopwatch \| ready: (http\S+)$/.exec(line) ?? [];
    if (address) baseUrl = address;
    const [, signInUrl] = /^stopwatch \| sign in as .*: (http\S+)$/.exec(line) ?? [];
    if (signInUrl) ready.resolve({ baseUrl, signInUrl });
  });
  const lost = started.lost.catch(({ message }): never => {
    throw new SetupError(message);
  });
  const stop = () => started.stop(STOP_MS_MAX);

  try {
    const addresses = await Promise.race([ready.promise, lost, aborted(wanted.signal)]);
    return { ...addresses, createAccount: () => createAccount(settings), lost, stop };
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
  const written = { stdout: "", stderr: "" };
  const { ended } = runScript(CREATE_ACCOUNT, settings, (line, stream) => {
    written[stream] += `${line}\n`;
  });
  const how = await ended;
  if (how !== "exit code 0") throw new SetupError(`npm run account ended with ${how}.\n${written.stderr}`.trimEnd());
  return JSON.parse(written.stdout);
}

const EMAIL = "demo@example.com";
const CREATE_ACCOUNT = ["account", "create", "--email", EMAIL, "--plan", "indie", "--key", "live"];
const STOP_WITH_PARENT = new URL("./stop-with-parent.mjs", import.meta.url).href;

// Runs in a process group of its own: the terminal's Ctrl-C reaches only the demo, which stops everything in order.
function runScript(
  [name = "", ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  output: (line: string, stream: "stdout" | "stderr") => void,
) {
  const command = ["--import", STOP_WITH_PARENT, "scripts/run.mjs", name, ...args];
  return startProgram(command, { name: `npm run ${name}`, env, isApart: true, output });
}
