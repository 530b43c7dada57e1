import { Argument, Option } from "commander";
import type { RecurrenceFilter } from "../../../sdk/src/types.ts";
import { UsageError } from "../errors/usage-error.ts";
import { addLimitOptions, type LimitOptions } from "../input/limit.ts";
import type { Verb } from "../verb.ts";

const ACTIONS = ["list", "get", "pause", "resume", "delete", "apply"] as const;

type Action = (typeof ACTIONS)[number];
type Options = LimitOptions &
  Pick<RecurrenceFilter, "status"> & { note?: string; until?: string; yes?: true; dryRun?: true };

/** The actions that each option goes with. */
const OF_ACTIONS: { readonly [Name in keyof Options]-?: readonly Action[] } = {
  status: ["list"],
  limit: ["list"],
  all: ["list"],
  note: ["pause"],
  until: ["pause"],
  yes: ["delete", "apply"],
  dryRun: ["apply"],
};

/** Reads, pauses, resumes and deletes recurrences, and makes them those of a file. */
export const recurrences: Verb<Options> = {
  name: "recurrences",
  group: "Schedules",
  summary: "List, get, pause, resume or delete what recurs, or make it as a file says",
  examples: [
    "stopwatch recurrences list",
    'stopwatch recurrences pause daily-report --until 2031-01-06T00:00:00Z --note "moving the office"',
    "stopwatch recurrences apply recurrences.json --dry-run",
  ],
  define(command) {
    command
      .addArgument(new Argument("<ACTION>", "what to do").choices(ACTIONS))
      .argument("[KEY...]", "keys of recurrences; after apply, the file, or - for stdin")
      .addOption(new Option("--status <status>", "list: only those with it").choices(["active", "paused", "ended"]))
      .option("--note <text>", "pause: why")
      .option("--until <instant>", "pause: when it goes on by itself")
      .option("--dry-run", "apply: print the difference, and store nothing")
      .option("--yes", "delete, apply: do not ask before");
    addLimitOptions(command);
  },
  async run(context, options, [given, ...keys]) {
    const action = given as Action;
    for (const [name, actions] of Object.entries(OF_ACTIONS)) {
      if (options[name as keyof Options] === undefined || actions.includes(action)) continue;
      const flag = name.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`);
      throw new UsageError(`--${flag} goes with ${actions.join(" and ")}`, EXAMPLES[actions[0] as Action]);
    }
    const [first] = keys;
    if (action === "list") {
      if (first !== undefined) throw new UsageError("list takes no KEY", EXAMPLES.get);
      return (await import("../recurrences/act.ts")).list(context, options);
    }
    if (first === undefined)
      throw new UsageError(`${action === "apply" ? "FILE" : "KEY"} is missing`, EXAMPLES[action]);
    if (action !== "apply") return (await import("../recurrences/act.ts")).act(context, action, options, keys);
    if (keys.length > 1) throw new UsageError("apply takes one FILE", EXAMPLES.apply);
    const { applyFile } = await import("../recurrences/apply-file.ts");
    return applyFile(context, first, { isYes: options.yes, isDry: options.dryRun });
  },
};

const EXAMPLES: { readonly [Name in Action]: string } = {
  list: "stopwatch recurrences list",
  get: "stopwatch recurrences get daily-report",
  pause: "stopwatch recurrences pause daily-report",
  resume: "stopwatch recurrences resume daily-report",
  delete: "stopwatch recurrences delete daily-report",
  apply: "stopwatch recurrences apply recurrences.json",
};
