import type { Command, CommanderError } from "commander";
import type { Verb } from "../verb.ts";
import { VERBS } from "../verbs.ts";
import { UsageError } from "./usage-error.ts";

/** What commander refused, with the near verb or option (the API's own words too) and an example of the verb. */
export function explainUsage({ code, message }: CommanderError, program: Command, argv: readonly string[]): UsageError {
  if (code === "commander.help") return new UsageError(`unknown command '${argv[1]}'`, "stopwatch --help");
  const [problem = "", near = ""] = message.replace(/^error: /, "").split("\n");
  const verb = findVerb(argv);
  const [, given = ""] = /'(.*)'/.exec(problem) ?? [];
  const known =
    code === "commander.unknownCommand"
      ? program.commands.map((command) => command.name())
      : program.commands.find((command) => command.name() === verb?.name)?.options.map(({ long }) => long);
  const meant = SYNONYMS.get(canonical(given));
  const isBeforeVerb = code === "commander.unknownOption" && argv[0] === given;
  const hint = isBeforeVerb
    ? " (Options stand after the verb)"
    : code === "commander.excessArguments" && verb?.name === "cron"
      ? " (The rule is one argument: quote it)"
      : meant && known?.includes(meant)
        ? ` (Did you mean ${meant}?)`
        : near && ` ${near}`;
  return new UsageError(`${problem}${hint}`, verb?.examples[0] ?? "stopwatch --help");
}

/** The verb that was named: the first word that is no option. */
export function findVerb(argv: readonly string[]): Verb | undefined {
  const named = argv.find((word) => !word.startsWith("-"));
  return (VERBS as readonly Verb[]).find(({ name }) => name === named);
}

/** `--fireAt`, `--fire_at` and `--fire-at` are one. */
const canonical = (given: string) => given.toLowerCase().replaceAll(/(?<=\w)[-_]/g, "");

/** What the API and other tools call the verbs, and their options, by the `canonical` form. */
const SYNONYMS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    create: "schedule",
    add: "schedule",
    new: "schedule",
    send: "schedule",
    post: "schedule",
    delete: "cancel",
    remove: "cancel",
    rm: "cancel",
    stop: "cancel",
    del: "cancel",
    crontab: "cron",
    recur: "cron",
    every: "cron",
    recurrence: "recurrences",
    crons: "recurrences",
    apply: "recurrences",
    move: "reschedule",
    patch: "reschedule",
    update: "reschedule",
    postpone: "reschedule",
    fire: "reschedule",
    ls: "list",
    schedules: "list",
    search: "list",
    find: "list",
    show: "get",
    describe: "get",
    read: "get",
    view: "get",
    retry: "replay",
    resend: "replay",
    repeat: "replay",
    redeliver: "replay",
    copy: "clone",
    duplicate: "clone",
    forward: "listen",
    check: "doctor",
    why: "explain",
    me: "whoami",
    account: "whoami",
    auth: "login",
    signin: "login",
    signout: "logout",
    log: "logs",
    tail: "logs",
    history: "logs",
    quota: "usage",
    status: "punctuality",
    "--firein": "--in",
    "--delay": "--in",
    "--after": "--in",
    "--fireat": "--at",
    "--fireatlocal": "--at",
    "--when": "--at",
    "--timezone": "--tz",
    "--zone": "--tz",
    "--body": "--payload",
    "--data": "--payload",
    "-d": "--payload",
    "--headers": "--header",
    "-h": "--header",
    "--request": "--method",
    "-x": "--method",
    "--idempotencykey": "--key-for-once",
    "--idempotency": "--key-for-once",
    "--query": "--q",
    "--search": "--q",
    "--format": "--output",
    "--force": "--yes",
    "-y": "--yes",
    "--state": "--status",
  }),
);
