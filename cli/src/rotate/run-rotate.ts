import { Stopwatch, StopwatchError } from "../../../sdk/src/index.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../errors/exit-codes.ts";
import { Failure } from "../errors/failure.ts";
import { UsageError } from "../errors/usage-error.ts";
import { localTimeInZone } from "../output/local-time.ts";
import { endOf } from "../output/secret-end.ts";

const EXAMPLE = "stopwatch rotate --yes";

export type RotateOptions = { yes?: true; keyForOnce?: string };

/** Makes the next signing secret the current one, once asked. Returns the exit code. */
export async function runRotate(
  { say, out, settings, confirm, signal }: Context,
  { yes, keyForOnce = crypto.randomUUID() }: RotateOptions,
): Promise<number> {
  if (!/^[\x20-\x7e]{1,255}$/.test(keyForOnce)) {
    throw new UsageError(
      "--key-for-once must be 1 to 255 characters of visible ASCII and spaces",
      `${EXAMPLE} --key-for-once june`,
    );
  }
  const { env, url, key } = settings();
  const question = `Rotate the signing secret of ${env} at ${url}? Receivers must accept the next one by now.`;
  if (!(await confirm(question, yes))) {
    say("Nothing was rotated.");
    return EXIT.partly;
  }
  const client = new Stopwatch(key, { baseUrl: url, fetch: withIdempotencyKey(keyForOnce) });
  const rotated = await client.signingSecrets.rotate({ signal }).catch((error) => {
    throw isUnknown(error) ? unknownOutcome(error, keyForOnce) : error;
  });
  const { rotated_at, replayed } = rotated;
  const formerUntil = rotated_at && new Date(Date.parse(rotated_at) + FORMER_MS).toISOString();
  out.record(
    {
      env,
      current: endOf(rotated.current),
      next: endOf(rotated.next),
      rotated_at,
      former_valid_until: formerUntil,
      replayed,
    },
    [
      ["environment", env],
      ["rotated at", rotated_at && `${localTimeInZone(rotated_at)}${replayed ? ", by this key before" : ""}`],
      ["current", endOf(rotated.current)],
      ["next", `${endOf(rotated.next)} (new: give it to your receivers, \`stopwatch secrets --env\`)`],
      ["former", formerUntil && `signs too until ${localTimeInZone(formerUntil)}`],
    ],
  );
  return EXIT.done;
}

/** How long deliveries are signed with the former secret too, ms. */
const FORMER_MS = 24 * 3_600_000;

const withIdempotencyKey =
  (key: string): typeof fetch =>
  (input, init) =>
    fetch(input, { ...init, headers: { ...(init?.headers as object), "Idempotency-Key": key } });

/** Whether nobody knows if it was carried out. */
function isUnknown(error: unknown): error is StopwatchError {
  return StopwatchError.is(error) && (error.status === undefined || error.status >= 500);
}

function unknownOutcome(error: StopwatchError, key: string): Failure {
  return new Failure(`Whether the secret was rotated is not known: ${error.message} (${error.code}).`, {
    exitCode: EXIT.unavailable,
    fix: `repeat with --key-for-once ${key} within 24 hours: it rotates once.`,
  });
}
