import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { buildPackage } from "#scripts/packages/build-package.ts";

export type CliResult = {
  code: number | null;
  stdout: string;
  stderr: string;
  /** The lines of stdout as JSON. */
  json(): Record<string, unknown>[];
};

export type CliOptions = {
  /** The environment, besides PATH and an empty home folder, which is removed when it ends. */
  env?: Record<string, string>;
  /** All of stdin. */
  stdin?: string | Uint8Array;
  /** The folder that it runs in; its home folder by default. */
  cwd?: string;
};

/** Builds the command line from its sources. Call it before the first `runCli` of a file. */
export const buildCli = () => buildPackage("cli");

/** Starts the built command line as a process. It reads no settings of this machine, and its clock is in Berlin. */
export function startCli(args: readonly string[], { env = {}, cwd }: CliOptions = {}) {
  const home = mkdtempSync(join(tmpdir(), "stopwatch-cli-"));
  const child = spawn(process.execPath, [resolve("cli/dist/stopwatch.js"), ...args], {
    cwd: cwd ?? home,
    // biome-ignore lint/style/noProcessEnv: programs are found by it
    env: { NODE_ENV: "test", PATH: process.env.PATH, HOME: home, TZ: "Europe/Berlin", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  // It may end, or be killed, before it has read all of its stdin.
  child.stdin.on("error", () => {});
  child.once("close", () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  return child;
}

/** Runs the built command line to its end. */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const child = startCli(args, options);
  child.stdin.end(options.stdin ?? "");
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const lines = () => stdout.split("\n").filter((line) => line !== "");
  return { code: await ended, stdout, stderr, json: () => lines().map((line) => JSON.parse(line)) };
}
