import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { waitFor } from "./wait-for.ts";

/** A program on a terminal of its own. */
export type Terminal = {
  /** Waits until the terminal shows this, types an answer, and returns all that was shown before. */
  answer(question: string | RegExp, typed: string): Promise<void>;
  /** What was shown, and the exit code. */
  ended: Promise<{ code: number | null; shown: string; raw: string }>;
};

/** Starts a program on a terminal that is `columns` wide (util-linux's `script`). */
export function startOnTerminal(
  command: readonly string[],
  { env, columns = 100, cwd }: { env: Record<string, string>; columns?: number; cwd?: string },
): Terminal {
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const child = spawn("script", ["-qefc", `stty cols ${columns} rows 40; ${quoted}`, "/dev/null"], {
    cwd,
    // biome-ignore lint/style/noProcessEnv: programs are found by it
    env: { PATH: process.env.PATH, NODE_ENV: "test", TERM: "xterm-256color", ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let raw = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    raw += chunk;
  });
  child.stdin.on("error", () => {});
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  return {
    async answer(question, typed) {
      await waitFor(`the question ${question}`, () => stripVTControlCharacters(raw).search(question) >= 0, 20_000);
      child.stdin.write(typed);
    },
    ended: code.then((code) => ({ code, raw, shown: stripVTControlCharacters(raw).replaceAll("\r\n", "\n") })),
  };
}
