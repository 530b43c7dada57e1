import type { ErrorDetail } from "../../../sdk/src/index.ts";
import { printable } from "../output/printable.ts";

/** One line for each field that was refused, with the option that it came from. Those that `message` says are left out. */
export function describeFields(details: readonly ErrorDetail[], message: string): string[] {
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
    status: "--status",
    q: "--q",
    from: "--from",
    to: "--to",
    limit: "--limit",
    sort: "--sort",
    outcome: "--outcome",
    code: "--code",
    host: "--host",
    late: "--late",
    measured: "--measured",
    idempotency_key: "--idempotency-key",
    operation: "--operation",
  }),
);
