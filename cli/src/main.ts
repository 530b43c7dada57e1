import { type Command, CommanderError } from "commander";
import { createContext, type GlobalOptions } from "./context.ts";
import { describeError } from "./errors/describe-error.ts";
import { EXIT } from "./errors/exit-codes.ts";
import { explainUsage, findVerb } from "./errors/explain-usage.ts";
import { createOutput } from "./output/output.ts";
import { createProgram } from "./program.ts";
import type { Verb } from "./verb.ts";

/** Runs one command line, and sets the exit code of the process: `errors/exit-codes.ts`. */
export async function main(argv: string[]): Promise<void> {
  endSilentlyWhenClosed();
  const interruption = onInterrupt();
  const program: Command = createProgram(async (verb: Verb, options: GlobalOptions, args: string[]) => {
    const isJson = options.output === "json" || (options.json === true && !verb.takesJsonBody);
    const context = createContext(options, createOutput(process.stdout, isJson), interruption, program);
    process.exitCode = (await verb.run(context, options as never, args)) ?? EXIT.done;
  });
  try {
    if (argv.length === 0) {
      process.stderr.write(program.helpInformation());
      process.exitCode = EXIT.usage;
      return;
    }
    await program.parseAsync(argv, { from: "user" });
  } catch (thrown) {
    if (interruption.aborted) process.exitCode = EXIT.interrupted;
    else if (thrown instanceof CommanderError && thrown.exitCode === 0) process.exitCode = EXIT.done;
    else {
      const error = thrown instanceof CommanderError ? explainUsage(thrown, program, argv) : thrown;
      const { text, exitCode } = describeError(error, findVerb(argv)?.examples[0]);
      process.stderr.write(`${text}\n`);
      process.exitCode = exitCode;
    }
  }
}

/** Behind `head`, and when its terminal was closed, a command ends without a message. */
function endSilentlyWhenClosed(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      process.exit();
    });
  }
}

/** How long a command may take to end in order after Ctrl-C. */
const END_MS_MAX = 2_000;

/** Aborted by the first Ctrl-C. A second one ends the process at once. */
function onInterrupt(): AbortSignal {
  const controller = new AbortController();
  process.once("SIGINT", () => {
    process.exitCode = EXIT.interrupted;
    process.once("SIGINT", () => process.exit(EXIT.interrupted));
    setTimeout(() => process.exit(EXIT.interrupted), END_MS_MAX).unref();
    controller.abort(new Error("interrupted"));
  });
  return controller.signal;
}
