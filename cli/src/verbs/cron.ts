import { createHash } from "node:crypto";
import { Option } from "commander";
import type { Method, RecurrenceInput } from "../../../sdk/src/types.ts";
import { UsageError } from "../errors/usage-error.ts";
import { addDeliveryFlags, type DeliveryFlags, parseDeliveryFlags } from "../input/delivery-flags.ts";
import { parseKeyForOnce } from "../input/key-for-once.ts";
import { parseTarget } from "../input/parse-target.ts";
import { addPayloadOptions, type PayloadOptions } from "../input/payload-options.ts";
import type { Verb } from "../verb.ts";

const EXAMPLE = 'stopwatch cron "0 9 * * 1-5" https://example.com/report --tz Europe/Berlin';

type Options = PayloadOptions &
  DeliveryFlags &
  Pick<RecurrenceInput, "name" | "onClockChange" | "overlap" | "catchUp" | "earlyFire"> & {
    tz?: string;
    spread?: string;
    endsAt?: string;
    method?: Method;
    keyForOnce?: string;
    dryRun?: true;
  };

/** Puts a recurrence. */
export const cron: Verb<Options> = {
  name: "cron",
  group: "Schedules",
  summary: "Send a request to a URL again and again, by a cron rule",
  examples: [EXAMPLE, 'stopwatch cron "*/15 * * * *" https://example.com/sync --key-for-once sync --dry-run'],
  takesJsonBody: true,
  define(command) {
    command
      .argument("<RULE>", "minute, hour, day, month and weekday, in quotes; or @daily and the like")
      .argument("[URL]", "where the requests go")
      .option("--tz <zone>", "The time zone whose clocks the rule goes by, such as Europe/Berlin (default: UTC)")
      .option(
        "--key-for-once <text>",
        "A key of yours: this takes the place of what has it (default: made of the rule and the URL)",
      )
      .option("--dry-run", "Store nothing: print when it would fire")
      .option("--name <text>", "What you call it");
    addPayloadOptions(command);
    const choice = (option: string, about: string, choices: string[]) =>
      command.addOption(new Option(option, about).choices(choices));
    choice("--method <method>", "The method of the requests", ["POST", "GET", "PUT", "PATCH", "DELETE"]);
    choice("--on-clock-change <rule>", "What happens at times that the clocks of the zone skip or repeat", [
      "first",
      "second",
      "skip",
    ]);
    choice("--overlap <rule>", "Whether one is sent while an earlier one is open", ["allow", "skip"]);
    choice("--catch-up <rule>", "Which of those is sent that nothing could send in time", ["latest", "none"]);
    command
      .option("--spread <duration>", "Send each later, by a share of this that the recurrence has for good: up to 1h")
      .option("--ends-at <instant>", "The last instant at which it may fire")
      .option("--early-fire", "Send slightly ahead, so that each arrives on time")
      .option("--no-early-fire", "Send none before its instant, whatever the account's setting");
    addDeliveryFlags(command);
  },
  async run({ client, out, signal }, options, [rule = "", url]) {
    if (url === undefined) throw withoutUrl(rule);
    const { tz: timezone, method, name, onClockChange, overlap, catchUp, earlyFire, dryRun } = options;
    const targetUrl = parseTarget(url, "URL", EXAMPLE);
    const key = parseKeyForOnce(options.keyForOnce) ?? keyOf(rule, timezone, method, targetUrl);
    const { parseInstantOption } = await import("../input/parse-instant-option.ts");
    const endsAt = options.endsAt && parseInstantOption(options.endsAt, "--ends-at");
    const { readPayload } = await import("../input/payload.ts");
    const input: RecurrenceInput = {
      ...{ cron: rule, timezone, onClockChange, overlap, catchUp, endsAt, name, targetUrl, method, earlyFire },
      ...(options.spread !== undefined && { spreadMs: await readSpread(options.spread) }),
      delivery: parseDeliveryFlags(options),
      ...(await readPayload(options, client, signal)),
    };
    const put = await client().recurrences.put(key, input, { signal, dryRun });
    const { recurrenceFacts } = await import("../output/recurrence-facts.ts");
    out.record(put, recurrenceFacts(put));
    return undefined;
  },
};

/** The same command has the same key, and another rule or URL another one. */
function keyOf(...parts: (string | undefined)[]): string {
  return `cron-${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 12)}`;
}

async function readSpread(text: string): Promise<number> {
  const { describeDurationProblem, parseDuration } = await import("../../../domain/duration.ts");
  const ms = parseDuration(text);
  if (ms === null) throw new UsageError(`--spread ${describeDurationProblem(text)}`, `${EXAMPLE} --spread 5m`);
  return ms;
}

/** Most often a whole line of a crontab was pasted, with its command. */
function withoutUrl(pasted: string): UsageError {
  const [, rule] = /^\s*(@\w+|\S+(?:\s+\S+){4})\s+\S/.exec(pasted) ?? [];
  if (rule === undefined) return new UsageError("URL is missing: say where the requests go", EXAMPLE);
  const [url = "https://example.com/job"] = /https?:\/\/[^\s"'`]+/.exec(pasted) ?? [];
  return new UsageError(
    "RULE is a crontab line with a command: paste only its rule, and the URL that the command calls",
    `stopwatch cron "${rule}" ${url}`,
  );
}
