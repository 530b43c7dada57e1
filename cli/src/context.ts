import type { Command } from "commander";
import { Stopwatch } from "../../sdk/src/index.ts";
import { describeRetry } from "./errors/describe-error.ts";
import { confirm } from "./input/confirm.ts";
import type { Output } from "./output/output.ts";
import { findSettings, type Settings } from "./settings/find-settings.ts";

/** The options that every verb has. */
export type GlobalOptions = {
  output: "table" | "json";
  /** `--json`: true where it means `--output json`, the body of a request where a verb takes one. */
  json?: true | string;
  profile?: string;
  envFile?: string;
};

/** What a verb works with. */
export type Context = {
  /** The results, on stdout. */
  out: Output;
  /** Writes a message, on stderr. */
  say(message: string): void;
  /** Address and key. Throws a Failure without a key. */
  settings(): Settings;
  /** A client with them. It says on stderr when it tries again. */
  client(): Stopwatch;
  /**
   * Asks before something that cannot be undone, such as `Cancel 3 schedules?`; a live key is named in the question.
   * Returns whether the answer was yes. Throws a UsageError where there is no terminal. `isYes`: `--yes` was given.
   */
  confirm(question: string, isYes: boolean | undefined): Promise<boolean>;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** All verbs with their options. */
  program: Command;
};

export function createContext(options: GlobalOptions, out: Output, signal: AbortSignal, program: Command): Context {
  let found: Settings | undefined;
  const say = (message: string) => void process.stderr.write(`${message}\n`);
  const settings = () => {
    found ??= findSettings(options);
    return found;
  };
  return {
    out,
    say,
    settings,
    client() {
      const { key, url } = settings();
      return new Stopwatch(key, { baseUrl: url, onRetry: (retry) => say(describeRetry(retry)) });
    },
    confirm: async (question, isYes) => isYes === true || confirm(question, settings(), signal),
    signal,
    program,
  };
}
