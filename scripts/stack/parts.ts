import { fileURLToPath } from "node:url";
import { NODE_FLAGS, START_ENV } from "#dispatcher/node-flags.ts";
import type { Part } from "./supervisor.ts";

/** The dispatcher. It needs up to 35 s to stop. `watch` restarts it after edits. */
export function dispatcherPart(env: Part["env"], { watch = false } = {}): Part {
  const args = [...NODE_FLAGS, "dispatcher/main.ts"];
  return {
    name: "dispatcher",
    args: watch ? [WATCH, ...args] : args,
    env: { ...START_ENV, ...env },
    stopMsMax: 40_000,
  };
}

/** A dispatcher for each port on which one serves its metrics. Several of them are numbered from 1. */
export function dispatcherParts(env: Part["env"], ports: readonly number[]): Part[] {
  return ports.map((port, index) => ({
    ...dispatcherPart({ ...env, DISPATCHER_PORT: String(port) }),
    ...(ports.length > 1 ? { name: `dispatcher ${index + 1}` } : {}),
  }));
}

/** The web part. `command` runs Next.js, which by itself does not notice when its parent process ends. */
export function webPart(env: Part["env"], command: string[], { host, port }: { host: string; port: number }): Part {
  const args = ["--import", END_WITH_PARENT, ...command, "--hostname", host, "--port", String(port)];
  return { name: "web", args, env, stopMsMax: 10_000 };
}

const WATCH = fileURLToPath(new URL("./watch.ts", import.meta.url));
const END_WITH_PARENT = new URL("./end-with-parent.mjs", import.meta.url).href;
