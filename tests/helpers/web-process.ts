import { readFile } from "node:fs/promises";
import { freePort } from "#scripts/ports.ts";
import { runScript } from "../integration/scripts/script-process.ts";
import { waitFor } from "./wait-for.ts";

export type WebProcess = {
  port: number;
  origin: string;
  /** Its output so far. */
  lines: () => string[];
  stop(): Promise<void>;
  /** Sends a signal to the process that serves. */
  signal(signal: NodeJS.Signals): Promise<void>;
  /** Kills the process that serves with SIGKILL. */
  kill(): Promise<void>;
};

const BUILD_AND_START_MS = 170_000;

/**
 * Starts `npm run web` with these settings on a free port. Resolves when it answers. Builds it first if necessary. `folder`
 * has other sources than this checkout.
 */
export async function startWebProcess(
  settings: Record<string, string>,
  { folder, deadlineMs = BUILD_AND_START_MS }: { folder?: string; deadlineMs?: number } = {},
): Promise<WebProcess> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const web = runScript(
    "web",
    [],
    { LOG_LEVEL: "error", ...settings, PORT: String(port), NODE_ENV: "production" },
    folder,
  );
  const lines = () => [...web.stdout, ...web.stderr];
  const ended = web.exited.then((code) => {
    throw new Error(`the web process ended with exit code ${code}\n${lines().join("\n")}`);
  });
  ended.catch(() => {});
  // No other program on this port gives an answer a request id.
  const answers = () =>
    fetch(`${origin}/healthz`).then(
      (answer) => answer.ok && answer.headers.has("x-request-id"),
      () => false,
    );
  await Promise.race([waitFor("the web process answers", answers, deadlineMs), ended]).catch((error) => {
    web.child.kill("SIGTERM");
    throw error;
  });
  const signal = async (name: NodeJS.Signals) => {
    const { pid } = web.child;
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
    for (const child of children.trim().split(" ")) process.kill(Number(child), name);
  };
  return {
    port,
    origin,
    lines,
    async stop() {
      web.child.kill("SIGTERM");
      await web.exited;
    },
    signal,
    async kill() {
      await signal("SIGKILL");
      await web.exited;
    },
  };
}
