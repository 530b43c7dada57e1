import { createInterface } from "node:readline";
import { Writable } from "node:stream";

/**
 * Asks on the terminal, on stderr, and returns the line that was typed, or null when the terminal was closed. `isHidden`: what
 * is typed is not shown. Throws the signal's reason.
 */
export function ask(question: string, signal: AbortSignal, isHidden = false): Promise<string | null> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = isHidden ? nowhere : process.stderr;
  const terminal = createInterface({ input: process.stdin, output, terminal: true, prompt: isHidden ? "" : question });
  // Not before: only now the terminal itself shows nothing of what is typed.
  process.stderr.write(question);
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      // First, since closing settles it too.
      settle();
      terminal.close();
      if (isHidden) process.stderr.write("\n");
    };
    terminal.once("line", (line) => end(() => resolve(line)));
    terminal.once("close", () => resolve(null));
    // The terminal is in raw mode, in which Ctrl-C is no signal.
    terminal.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
    signal.addEventListener("abort", () => end(() => reject(signal.reason)), { once: true });
  });
}
