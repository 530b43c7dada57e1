import type { Command } from "commander";
import type { Context, GlobalOptions } from "./context.ts";

/** The headings of `stopwatch --help`, in their order. */
export type VerbGroup = "Credentials" | "Schedules" | "Deliveries" | "Receivers" | "Tools";

/** One verb of the command line. A file of `verbs/` exports one, and `verbs.ts` lists it. */
export type Verb<Options = Record<never, never>> = {
  /** As it is typed. */
  name: string;
  group: VerbGroup;
  /** One line of help, in the imperative, without a full stop. */
  summary: string;
  /** Command lines to copy. The first is shown with each usage error. */
  examples: readonly [string, ...string[]];
  /** Its `--json` is the body of a request, so that output for programs is `--output json` alone. */
  takesJsonBody?: true;
  /** Adds arguments and options. Those of every verb (`--profile`, `--env-file`, `--output`, `--json`) are there. */
  define?(command: Command): void;
  /**
   * Does it. `args` are the arguments without the options. Returns the exit code; nothing means 0. Throws a UsageError,
   * a Failure, or the client's StopwatchError: each has its exit code.
   */
  run(context: Context, options: Options & GlobalOptions, args: string[]): Promise<number | undefined>;
};
