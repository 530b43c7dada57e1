import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { waitFor } from "#tests/helpers/wait-for.ts";

const RUN_MS_MAX = 90_000;
const START_MS_MAX = 30_000;

export type Program = { child: ChildProcess; stdout: string; stderr: string; ended: Promise<number | null> };

/** Starts a program in a process group of its own. */
export function start(command: readonly string[], cwd: string, env: Record<string, string>): Program {
  const [file = "", ...args] = command;
  const child = spawn(file, args, {
    cwd,
    env: { NODE_ENV: "development", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const program: Program = { child, stdout: "", stderr: "", ended: once(child, "close").then(([code]) => code) };
  child.stdout?.setEncoding("utf8").on("data", (text) => {
    program.stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    program.stderr += text;
  });
  return program;
}

/** Runs a program to its end, or until it listens on one of `ports`. Returns its exit code, or null while it runs. */
export async function runUntilDone(program: Program, ports: readonly number[]): Promise<number | null> {
  let code: number | null | undefined;
  program.ended.then(
    (ended) => {
      code = ended ?? 1;
    },
    (error) => {
      program.stderr += String(error);
      code = 127;
    },
  );
  const isDone = async () => code !== undefined || (await Promise.all(ports.map(isOpen))).includes(true);
  await waitFor(`the end of ${program.child.spawnargs.join(" ").slice(0, 80)}`, isDone, RUN_MS_MAX).catch(
    async (error) => {
      await stop(program);
      throw new Error(`${error}\n${program.stdout}\n${program.stderr}`);
    },
  );
  return code ?? null;
}

/** Waits until a program that stays has printed a line. */
export async function runInBackground(program: Program): Promise<void> {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  program.ended.then(end, end);
  const isUp = () => hasEnded || /\n/.test(program.stdout + program.stderr);
  await waitFor("the program in the other terminal prints a line", isUp, START_MS_MAX);
  if (hasEnded) throw new Error(`the other terminal's program ended:\n${program.stdout}\n${program.stderr}`);
}

/** Ends a program and all that it started, as Ctrl-C does. */
export async function stop({ child, ended }: Program): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  signal(child.pid, "SIGINT");
  const late = setTimeout(() => signal(child.pid as number, "SIGKILL"), 5_000);
  await ended.catch(() => {});
  clearTimeout(late);
}

function signal(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(-group, name);
  } catch {
    // It has ended meanwhile.
  }
}

export function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "localhost" });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.unref();
    socket.once("connect", () => socket.destroy());
  });
}
