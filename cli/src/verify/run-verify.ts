import { parseInstant } from "../../../domain/instant.ts";
import { Stopwatch, StopwatchError } from "../../../sdk/src/index.ts";
import type { Context, GlobalOptions } from "../context.ts";
import { EXIT } from "../errors/exit-codes.ts";
import { Failure } from "../errors/failure.ts";
import { UsageError } from "../errors/usage-error.ts";
import { readBytes } from "../input/read-bytes.ts";
import { localTimeInZone } from "../output/local-time.ts";
import { printable } from "../output/printable.ts";
import { findSettings, type Settings } from "../settings/find-settings.ts";
import { localVariables } from "../settings/local-variables.ts";
import { type Capture, CaptureProblem } from "./capture.ts";
import { type Diagnosis, diagnose } from "./diagnose.ts";
import type { KnownSecret } from "./known-secrets.ts";
import { readCapture } from "./read-capture.ts";
import { secretsOfVariables } from "./read-variables.ts";

const EXAMPLE = "stopwatch verify headers.txt --body body.json";

export type VerifyOptions = { body?: string; receivedAt?: string; computed?: string; also?: string; offline?: true };

/** Says what is wrong with the signature of a captured request. Returns the exit code. */
export async function runVerify(
  context: Context,
  path: string,
  options: VerifyOptions & GlobalOptions,
): Promise<number> {
  const capture = await readRequest(path, options.body);
  const receivedAtMs = parseReceivedAt(options.receivedAt);
  const secrets = await findSecrets(context, options);
  const diagnosis = diagnose(capture, secrets, { receivedAtMs, computed: options.computed });
  if (context.out.isJson) context.out.record(diagnosis, []);
  else
    context.out.raw(
      linesOf(diagnosis, options)
        .map((line) => `${printable(line)}\n`)
        .join(""),
    );
  return diagnosis.fits ? EXIT.done : EXIT.partly;
}

async function readRequest(path: string, bodyPath: string | undefined): Promise<Capture> {
  if (path === "-" && bodyPath === "-") throw new UsageError("--body must not be stdin when CAPTURE is", EXAMPLE);
  const capture = parseCapture(await readBytes(path, "CAPTURE"));
  return bodyPath === undefined ? capture : { ...capture, body: await readBytes(bodyPath, "--body") };
}

function parseCapture(bytes: Buffer): Capture {
  try {
    return readCapture(bytes);
  } catch (error) {
    if (error instanceof CaptureProblem) throw new UsageError(`CAPTURE cannot be read: ${error.message}`, EXAMPLE);
    throw error;
  }
}

/** Epoch ms of RFC 3339 with an offset, or of whole seconds since 1970. */
function parseReceivedAt(text: string | undefined): number {
  if (text === undefined) return Date.now();
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1_000;
  const ms = parseInstant(text);
  if (ms !== null) return ms;
  throw new UsageError(
    "--received-at must be a time with an offset, or seconds since 1970",
    "--received-at 2026-03-29T09:00:00Z",
  );
}

/** The secrets of the receiver and, with a key, those of the account. Throws a UsageError when there are none. */
async function findSecrets(context: Context, options: VerifyOptions & GlobalOptions): Promise<KnownSecret[]> {
  const { envFile, also, offline } = options;
  const { variables, source } = localVariables(envFile);
  const secrets = secretsOfVariables(variables);
  if (!offline) secrets.push(...(await askAccount(context, options.profile, secrets.length > 0 || also !== undefined)));
  if (also !== undefined) secrets.push(...(await fetchSecrets(findSettings({ profile: also }), context.signal)));
  if (secrets.length > 0) return secrets;
  throw new UsageError(
    `STOPWATCH_SECRET is missing: ${source} has no signing secret, and there is no key to ask with`,
    "stopwatch secrets --env >> .env",
  );
}

/** What the key shows. Nothing without a key, and, with a message, without an answer where `hasOthers`. */
async function askAccount(
  { settings, signal, say }: Context,
  profile: string | undefined,
  hasOthers: boolean,
): Promise<KnownSecret[]> {
  try {
    return await fetchSecrets(settings(), signal);
  } catch (error) {
    if (error instanceof Failure && profile === undefined) return [];
    if (!hasOthers || !(error instanceof UsageError || StopwatchError.is(error))) throw error;
    say(`stopwatch: only the secrets of this folder are tried: ${printable(error.message)}`);
    return [];
  }
}

function linesOf({ fits, secret, signed_at, problems }: Diagnosis, { computed }: VerifyOptions): string[] {
  if (!fits) return problems.flatMap(({ message, fix }) => [message, `  Fix: ${fix}`]);
  const what = computed === undefined ? "The signature is right" : "Your code computes it right";
  return [
    `${what}: made with ${secret}, at ${localTimeInZone(signed_at as string)}.`,
    "  If the receiver refused it, it saw other bytes, headers, secrets or another time than these.",
  ];
}

/** The secrets that a key shows: the current and the next one of its environment. Throws the client's StopwatchError. */
async function fetchSecrets({ key, url, env }: Settings, signal: AbortSignal): Promise<KnownSecret[]> {
  const secrets = await new Stopwatch(key, { baseUrl: url }).signingSecrets.get({ signal });
  return (["current", "next"] as const).map((role) => ({
    name: `the ${role} secret of ${env}`,
    value: secrets[role],
    env,
    role,
    isReceivers: false,
  }));
}
