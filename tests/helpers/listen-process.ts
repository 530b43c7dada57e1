import { startCli } from "./cli-process.ts";
import { waitFor } from "./wait-for.ts";

export type ListenProcess = ReturnType<typeof startListen>;

/** Starts `stopwatch listen` as a process, and gathers what it writes. The command line must have been built. */
export function startListen(args: readonly string[], env: Record<string, string>) {
  const child = startCli(["listen", ...args], { env });
  const written = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      written[name] += text;
    });
  }
  let isOver = false;
  const exited = new Promise<number | null>((resolve) =>
    child.once("close", (code) => {
      isOver = true;
      resolve(code);
    }),
  );
  const waits = (what: string, condition: () => boolean, deadlineMs?: number) =>
    waitFor(what, condition, deadlineMs).catch((error) => {
      throw new Error(`${error.message}\n${written.stdout}${written.stderr}`);
    });
  return {
    child,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    /** The exit code; null when a signal ended it. */
    exited,
    /** Waits, and fails with what the process wrote. */
    waits,
    says: (pattern: RegExp, deadlineMs?: number) =>
      waits(`it says ${pattern}`, () => pattern.test(written.stderr), deadlineMs),
    writes: (pattern: RegExp, deadlineMs?: number) =>
      waits(`it writes ${pattern}`, () => pattern.test(written.stdout), deadlineMs),
    async kill() {
      if (!isOver) child.kill("SIGKILL");
      await exited;
    },
  };
}
