import { createInterface } from "node:readline/promises";
import { UsageError } from "./command.ts";

/** Asks on the terminal. Returns whether the answer was yes. Throws a UsageError where there is no terminal. */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError(`${question}\nThere is no terminal to confirm this on: add --yes.`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
