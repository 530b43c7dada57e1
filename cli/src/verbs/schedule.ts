import { Option } from "commander";
import type { CreateInput, Method } from "../../../sdk/src/types.ts";
import { UsageError } from "../errors/usage-error.ts";
import { parseKeyForOnce } from "../input/key-for-once.ts";
import { parseTarget } from "../input/parse-target.ts";
import { addPayloadOptions, type PayloadOptions } from "../input/payload-options.ts";
import { addTimeOptions, type TimeOptions } from "../input/time-options.ts";
import { printCreated } from "../output/print-created.ts";
import type { Verb } from "../verb.ts";

const EXAMPLE = "stopwatch schedule https://example.com/hook --in 30m --json '{\"order\": 7}'";

type Options = TimeOptions & PayloadOptions & { method?: Method; keyForOnce?: string; earlyFire?: boolean };

/** Creates a schedule. */
export const schedule: Verb<Options> = {
  name: "schedule",
  group: "Schedules",
  summary: "Schedule a request to a URL",
  examples: [
    EXAMPLE,
    "stopwatch schedule https://example.com/hook --at 2031-03-30T09:00 --tz Europe/Berlin --payload @body.txt",
  ],
  takesJsonBody: true,
  define(command) {
    command.argument("<URL>", "where the request goes");
    addTimeOptions(command);
    addPayloadOptions(command);
    command
      .addOption(
        new Option("--method <method>", "The method of the request").choices(["POST", "GET", "PUT", "PATCH", "DELETE"]),
      )
      .option(
        "--key-for-once <text>",
        "A key of yours (Idempotency-Key): the same again finds this schedule, and makes none",
      )
      .option("--early-fire", "Send slightly ahead, so that it arrives on time")
      .option("--no-early-fire", "Send not before its instant, whatever the account's setting");
  },
  async run({ client, out, say, signal }, options, [url = ""]) {
    const { method, earlyFire } = options;
    const targetUrl = parseTarget(url, "URL", EXAMPLE);
    const { parseTime } = await import("../input/parse-time.ts");
    const time = parseTime(options);
    if (!time) throw new UsageError("--in or --at is missing: say when", EXAMPLE);
    const idempotencyKey = parseKeyForOnce(options.keyForOnce);
    const { readPayload } = await import("../input/payload.ts");
    const body = await readPayload(options, client, signal);
    const input: CreateInput = { targetUrl, method, idempotencyKey, earlyFire, ...time, ...body };
    return printCreated(await client().schedules.create(input, { signal }), out, say);
  },
};
