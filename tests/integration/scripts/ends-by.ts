import { expect } from "vitest";
import type { ScriptProcess } from "./script-process.ts";

/**
 * Sends `signal` to a command once `isReached` says so of what it has printed, or once it has ended. Returns false when the
 * signal came too late, as `isTooLate` says by the exit code; otherwise the command must have ended by the signal.
 */
export async function endsBy(
  signal: "SIGKILL" | "SIGINT",
  { child, stdout, exited }: ScriptProcess,
  isReached: (stdout: string) => Promise<boolean>,
  isTooLate: (code: number | null) => boolean | Promise<boolean>,
): Promise<boolean> {
  const isOver = async () => child.exitCode !== null || (await isReached(stdout.join("\n")));
  await expect.poll(isOver, { interval: 5 }).toBe(true);
  child.kill(signal);
  const code = await exited;
  if (await isTooLate(code)) return false;
  expect(code).toBe(signal === "SIGINT" ? 130 : null);
  return true;
}
