import { Command, Option } from "commander";
import type { GlobalOptions } from "./context.ts";
import { UsageError } from "./errors/usage-error.ts";
import type { Verb } from "./verb.ts";
import { VERBS } from "./verbs.ts";
import { readVersion } from "./version.ts";

/** The command line with all verbs. `run` does the one that was named. Errors are thrown as CommanderError. */
export function createProgram(run: (verb: Verb, options: GlobalOptions, args: string[]) => Promise<void>): Command {
  const program = new Command("stopwatch")
    .description("Schedules HTTP requests with a Stopwatch installation, and follows what is delivered.")
    .usage("<verb> [options]")
    .version(readVersion(), "-V, --version", "Print the version")
    .helpOption("-h, --help", "Print this help")
    .helpCommand("help [verb]", "Print help for a verb")
    .addHelpText("after", EXIT_CODES)
    .exitOverride()
    .configureOutput({ writeErr: () => {}, outputError: () => {} });
  for (const verb of VERBS as readonly Verb[]) {
    const command = program.command(verb.name).description(`${verb.summary}.`).summary(verb.summary);
    command.helpGroup(`${verb.group}:`);
    verb.define?.(command);
    addGlobalOptions(command, verb);
    refuseRepeated(command);
    command.addHelpText("after", `\nExamples:\n${verb.examples.map((example) => `  ${example}`).join("\n")}`);
    command.action(async () => run(verb, command.opts(), command.args));
  }
  return program;
}

function addGlobalOptions(command: Command, { takesJsonBody }: Verb): void {
  command.optionsGroup("Options of every verb:");
  const output = new Option("-o, --output <form>", "How results are printed").choices(["table", "json"]);
  command.addOption(output.default("table"));
  if (!takesJsonBody) command.option("--json", "As --output json: one object a line");
  command
    .option("--profile <name>", "Use the key that `stopwatch login --profile NAME` stored")
    .option("--env-file <path>", "Read STOPWATCH_API_KEY and STOPWATCH_URL from this file")
    .helpOption("-h, --help", "Print this help");
}

/** Of two values of one option one would be lost. Those that collect several have a parser of their own. */
function refuseRepeated(command: Command): void {
  for (const option of command.options) {
    const collects = option.parseArg !== undefined && option.argChoices === undefined;
    if (!(option.required || option.optional) || collects) continue;
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven) throw new UsageError(`${option.long} is given twice: give it once`);
      isGiven = true;
    });
  }
}

const EXIT_CODES = `
Exit codes: 0 done, 1 done but not as wished, 2 wrong usage, 3 not authorised, 4 not found or in another state,
5 unreachable, busy or over a limit, 130 Ctrl-C.`;
