import { UsageError } from "../errors/usage-error.ts";
import { parseKeyForOnce } from "../input/key-for-once.ts";
import { addPayloadOptions, type PayloadOptions } from "../input/payload-options.ts";
import { readScheduleIds } from "../input/read-ids.ts";
import { addTimeOptions, type TimeOptions } from "../input/time-options.ts";
import { createEach } from "../operations/create-each.ts";
import type { Verb } from "../verb.ts";

const EXAMPLE = "stopwatch clone sch_01kxyz5n3h8q2v7c4m9t6w0b1d --json '{\"order\": 8}'";

/** Sends requests again with another payload, as new schedules. */
export const clone: Verb<TimeOptions & PayloadOptions & { keyForOnce?: string; url?: string }> = {
  name: "clone",
  group: "Schedules",
  summary: "Send requests again with another payload, as new schedules",
  examples: [EXAMPLE],
  takesJsonBody: true,
  define(command) {
    command.argument("<ID...>", "ids of schedules; - reads them from stdin, one a line");
    addTimeOptions(command);
    addPayloadOptions(command);
    command.option("--url <url>", "Another target; no header of the original is then carried over");
    command.option("--key-for-once <text>", "A key of yours (Idempotency-Key), for one ID");
  },
  async run(context, options, args) {
    const { client, signal } = context;
    const { parseTime } = await import("../input/parse-time.ts");
    const time = parseTime(options);
    const idempotencyKey = parseKeyForOnce(options.keyForOnce);
    if (args.includes("-") && (options.json === "-" || options.payload === "-")) {
      throw new UsageError("ID - and the payload - are both stdin: give one as a file", EXAMPLE);
    }
    const ids = await readScheduleIds(args, EXAMPLE);
    const { readPayload } = await import("../input/payload.ts");
    const { payload, headers } = await readPayload(options, client, signal);
    if (payload === undefined)
      throw new UsageError("--json or --payload is missing: a clone has another payload", EXAMPLE);
    return createEach(context, ids, idempotencyKey, (schedules, id, key) =>
      schedules.clone(id, { ...time, targetUrl: options.url, payload, headers, idempotencyKey: key }, { signal }),
    );
  },
};
