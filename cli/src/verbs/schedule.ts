import { Option } from "commander";
import type { Method, PutInput } from "../../../sdk/src/types.ts";
import { UsageError } from "../errors/usage-error.ts";
import { addDeliveryFlags, type DeliveryFlags, parseDeliveryFlags } from "../input/delivery-flags.ts";
import { parseKeyForOnce } from "../input/key-for-once.ts";
import { parseTarget } from "../input/parse-target.ts";
import { addPayloadOptions, type PayloadOptions } from "../input/payload-options.ts";
import { addTimeOptions, type TimeOptions } from "../input/time-options.ts";
import { printCreated } from "../output/print-created.ts";
import type { Verb } from "../verb.ts";

const EXAMPLE = "stopwatch schedule https://example.com/hook --in 30m --json '{\"order\": 7}'";

const REPLACE_EXAMPLE =
  "stopwatch schedule https://example.com/hook --in 30s --key-for-once cart-1234 --replace --max-delay 10m";

type Options = TimeOptions &
  PayloadOptions &
  DeliveryFlags & { method?: Method; keyForOnce?: string; replace?: boolean; maxDelay?: string; earlyFire?: boolean };

/** Creates a schedule. */
export const schedule: Verb<Options> = {
  name: "schedule",
  group: "Schedules",
  summary: "Schedule a request to a URL",
  examples: [
    EXAMPLE,
    "stopwatch schedule https://example.com/hook --at 2031-03-30T09:00 --tz Europe/Berlin --payload @body.txt",
    REPLACE_EXAMPLE,
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
      .option(
        "--replace",
        "With --key-for-once: this request and time take the place of those that the key stands for, while they are not sent",
      )
      .option("--max-delay <duration>", "With --replace and --in: never later than this after the first of them")
      .option("--early-fire", "Send slightly ahead, so that it arrives on time")
      .option("--no-early-fire", "Send not before its instant, whatever the account's setting");
    addDeliveryFlags(command);
  },
  async run({ client, out, say, signal }, options, [url = ""]) {
    const { method, earlyFire } = options;
    const targetUrl = parseTarget(url, "URL", EXAMPLE);
    const { parseTime } = await import("../input/parse-time.ts");
    const time = parseTime(options);
    if (!time) throw new UsageError("--in or --at is missing: say when", EXAMPLE);
    const idempotencyKey = parseKeyForOnce(options.keyForOnce);
    if (options.replace && idempotencyKey === undefined)
      throw new UsageError("--replace goes with --key-for-once: say which", REPLACE_EXAMPLE);
    if (options.maxDelay !== undefined && !(options.replace && options.in !== undefined))
      throw new UsageError("--max-delay goes with --replace and --in", REPLACE_EXAMPLE);
    const { readPayload } = await import("../input/payload.ts");
    const body = await readPayload(options, client, signal);
    const request = { targetUrl, method, earlyFire, delivery: parseDeliveryFlags(options), ...time, ...body };
    if (options.replace) {
      const put = { ...request, maxDelay: options.maxDelay } as PutInput;
      return printCreated(await client().schedules.put(idempotencyKey as string, put, { signal }), out, say);
    }
    return printCreated(await client().schedules.create({ ...request, idempotencyKey }, { signal }), out, say);
  },
};
