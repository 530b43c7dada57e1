import { type ErrorDetail, type Retry, StopwatchError } from "../../../sdk/src/index.ts";
import { NARROW_OPTIONS } from "../input/narrow-options.ts";
import { printable } from "../output/printable.ts";
import { EXIT } from "./exit-codes.ts";
import { Failure } from "./failure.ts";
import { UsageError } from "./usage-error.ts";

/**
 * The message on stderr for an error, with its fix and the request's id, and the exit code that it means. `example` is shown with
 * a usage error that has none.
 */
export function describeError(error: unknown, example?: string): { text: string; exitCode: number } {
  if (error instanceof UsageError) {
    return { text: lines(error.message, `Example: ${error.example ?? example}`), exitCode: EXIT.usage };
  }
  if (error instanceof Failure) {
    return { text: lines(error.message, `Fix: ${error.fix}`), exitCode: error.exitCode };
  }
  if (StopwatchError.is(error)) return describeAnswer(error);
  const stack = error instanceof Error ? error.stack : String(error);
  return { text: lines(`This is a fault of the command line: ${stack}`, "Fix: report it with this text"), exitCode: 1 };
}

/** The message before a call is tried again. */
export function describeRetry({ waitMs, error }: Retry): string {
  return lines(`${printable(error.message)}${causeOf(error)}: trying again in ${Math.ceil(waitMs / 100) / 10} s`);
}

/** The exit code that an error of the client means. */
export function exitCodeOf({ code, status }: StopwatchError): number {
  const meaning = MEANINGS.get(code);
  if (meaning) return meaning.exitCode;
  if (status === undefined || status >= 500 || status === 429) return EXIT.unavailable;
  return status === 404 || status === 409 ? EXIT.state : EXIT.usage;
}

function describeAnswer(error: StopwatchError) {
  const { code, message, details, requestId, retryAfterMs } = error;
  const fix = MEANINGS.get(code)?.fix;
  const wait = retryAfterMs ? ` The service asks to wait ${Math.ceil(retryAfterMs / 1_000)} s.` : "";
  const text = lines(
    `${printable(message)}${causeOf(error)} (${printable(code)})`,
    ...describeFields(details, message),
    fix && `Fix: ${fix}${wait}`,
    requestId && `Request id: ${printable(requestId)}`,
  );
  return { text, exitCode: exitCodeOf(error) };
}

/** Why the network failed, such as `: ECONNREFUSED`. */
function causeOf({ cause }: StopwatchError): string {
  const { code, message } = (cause ?? {}) as { code?: unknown; message?: unknown };
  return code || message ? `: ${printable(String(code ?? message))}` : "";
}

function lines(first: string, ...rest: (string | undefined | false | "")[]): string {
  return [`stopwatch: ${first}`, ...rest.filter(Boolean).map((line) => `  ${line}`)].join("\n");
}

type Meaning = { exitCode: number; fix: string };

const NEW_KEY = "make a key on the page API keys of the installation, and store it with `stopwatch login`.";
const CHECK_ADDRESS = "check the address (STOPWATCH_URL, or that of `stopwatch login`), and that it answers from here.";

const MEANINGS: ReadonlyMap<string, Meaning> = new Map(
  Object.entries({
    VALIDATION: { exitCode: EXIT.usage, fix: "correct what is named above; nothing was stored." },
    INVALID_ARGUMENT: { exitCode: EXIT.usage, fix: "correct what is named above; nothing was sent." },
    UNSUPPORTED_MEDIA_TYPE: { exitCode: EXIT.usage, fix: "this installation may be older than the command line." },
    METHOD_NOT_ALLOWED: { exitCode: EXIT.usage, fix: "this installation may be older than the command line." },
    INVALID_KEY: { exitCode: EXIT.unauthorised, fix: NEW_KEY },
    UNAUTHORIZED: { exitCode: EXIT.unauthorised, fix: NEW_KEY },
    FORBIDDEN: { exitCode: EXIT.unauthorised, fix: "use a key that may do this, or do it signed in on the pages." },
    NOT_FOUND: { exitCode: EXIT.state, fix: "check the id; a key sees the schedules of its own environment alone." },
    CONFLICT: { exitCode: EXIT.state, fix: "look at its state with `stopwatch get ID`." },
    QUOTA_EXCEEDED: {
      exitCode: EXIT.unavailable,
      fix: "`stopwatch usage` shows the quota; it begins anew each month.",
    },
    PAYLOAD_TOO_LARGE: { exitCode: EXIT.unavailable, fix: "send less; `stopwatch usage` shows the limit of the plan." },
    RATE_LIMITED: { exitCode: EXIT.unavailable, fix: "try again later." },
    UNAVAILABLE: { exitCode: EXIT.unavailable, fix: "try again later." },
    INTERNAL: { exitCode: EXIT.unavailable, fix: "try again; the request id finds the cause in the service's log." },
    NETWORK: { exitCode: EXIT.unavailable, fix: CHECK_ADDRESS },
    TIMEOUT: { exitCode: EXIT.unavailable, fix: CHECK_ADDRESS },
    BAD_RESPONSE: { exitCode: EXIT.unavailable, fix: CHECK_ADDRESS },
  }),
);

/** One line for each field that was refused, with the option that it came from. Those that `message` says are left out. */
function describeFields(details: readonly ErrorDetail[], message: string): string[] {
  return details.flatMap(({ path, message: problem }) => {
    const option = OPTIONS.get(path.split(".")[0] as string);
    const named = option ? `${option} (${path})` : path;
    return !option && message.includes(problem) ? [] : [printable(`${named}: ${problem}`)];
  });
}

/** The option or argument that a field of the API is given by. */
const OPTIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    targetUrl: "URL",
    fireAt: "--at",
    fireIn: "--in",
    fireAtLocal: "--at",
    timezone: "--tz",
    onClockChange: "--on-clock-change",
    payload: "--payload",
    headers: "--header",
    method: "--method",
    idempotencyKey: "--key-for-once",
    earlyFire: "--early-fire",
    cron: "RULE",
    endsAt: "--ends-at",
    spreadMs: "--spread",
    overlap: "--overlap",
    catchUp: "--catch-up",
    name: "--name",
    note: "--note",
    until: "--until",
    status: "--status",
    q: "--q",
    from: "--from",
    to: "--to",
    limit: "--limit",
    sort: "--sort",
    outcome: "--outcome",
    measured: "--measured",
    ...NARROW_OPTIONS,
  }),
);
