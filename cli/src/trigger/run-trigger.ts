import { StopwatchError } from "../../../sdk/src/index.ts";
import type { Method } from "../../../sdk/src/types.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../errors/exit-codes.ts";
import { UsageError } from "../errors/usage-error.ts";
import { explainAttempt } from "../explain/explain-attempt.ts";
import { outcomeOf } from "../explain/outcome.ts";
import { quoteStranger } from "../explain/words.ts";
import { parseTarget } from "../input/parse-target.ts";
import { readPayload } from "../input/payload.ts";
import type { PayloadOptions } from "../input/payload-options.ts";
import { localTimeInZone } from "../output/local-time.ts";
import { printable } from "../output/printable.ts";
import { deliverNow, TEST_PAYLOAD } from "./deliver-now.ts";

const EXAMPLE = "stopwatch trigger --to https://example.com/hook";

export type TriggerOptions = PayloadOptions & { to?: string; method?: Method; yes?: true };

/** Sends one signed delivery now, and prints its attempt. Returns the exit code. */
export async function runTrigger(context: Context, options: TriggerOptions): Promise<number> {
  const { client, out, say, signal, settings, confirm } = context;
  const { to, method, yes } = options;
  if (to === undefined) throw new UsageError("--to is missing: say where it goes", EXAMPLE);
  const targetUrl = parseTarget(to, "--to", EXAMPLE);
  const given = await readPayload(options, client, signal);
  const isWithBody = given.payload !== undefined || /^(GET|DELETE)$/.test(method ?? "");
  const body = isWithBody ? given : { ...TEST_PAYLOAD, ...given };
  if (settings().env === "live" && !(await confirm(`Send a delivery to ${new URL(targetUrl).origin}?`, yes))) {
    say("stopwatch: nothing was sent");
    return EXIT.partly;
  }
  const { schedule, attempt } = await deliverNow(client(), { targetUrl, method, ...body }, { signal, say }).catch(
    (error) => {
      throw refusedTarget(error) ?? error;
    },
  );
  if (out.isJson) out.record({ schedule_id: schedule.id, ...attempt }, []);
  else {
    const lines = explainAttempt(attempt, { schedule, at: localTimeInZone, quote: quoteStranger });
    out.raw([schedule.id, ...lines].map((line) => `${printable(line)}\n`).join(""));
  }
  return outcomeOf(attempt) === "delivered" ? EXIT.done : EXIT.partly;
}

/** The service's refusal of the target, which names its own field, as one of `--to`. */
function refusedTarget(error: unknown): UsageError | undefined {
  if (!StopwatchError.is(error, "VALIDATION")) return undefined;
  const refused = error.details.find(({ path }) => path === "targetUrl");
  return refused && new UsageError(`--to ${refused.message}`, EXAMPLE);
}
