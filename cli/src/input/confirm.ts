import { UsageError } from "../errors/usage-error.ts";
import type { Settings } from "../settings/find-settings.ts";
import { ask } from "./ask.ts";

/** Asks on the terminal, and returns whether the answer was yes. A live key is named. Throws a UsageError without one. */
export async function confirm(question: string, { env, source, url }: Settings, signal: AbortSignal): Promise<boolean> {
  const whose = env === "live" ? `This is a live key (${source}, ${url}). ` : "";
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new UsageError(
      `--yes is needed where there is no terminal to ask on: ${whose}${question}`,
      "the same with --yes",
    );
  }
  const answer = await ask(`${whose}${question} [y/N] `, signal);
  return /^y(es)?$/i.test((answer ?? "").trim());
}
