import { invalid, orInvalid } from "./invalid.ts";

/** A value as JSON. Throws INVALID_ARGUMENT for what has none: a cycle, a BigInt, a function. */
export function writeJson(field: string, value: unknown): string {
  return orInvalid(field, 'must be JSON such as "1": no cycle or BigInt, no Map or Promise', () =>
    // Undefined for a function, which has no toString either.
    JSON.stringify(value, refuseEmptied).toString(),
  );
}

/** JSON writes these as {}. */
function refuseEmptied(_name: string, value: unknown): unknown {
  if (/(Map|Set|Promise|Params|FormData|Headers|Blob|Buffer)]$/.test(kindOf(value))) throw value;
  return value;
}

const kindOf = (value: unknown): string => Object.prototype.toString.call(value);

/** Refuses what is no object with fields, such as "2h" or a Date in place of { fireIn: "2h" }. */
function checkInput(input: unknown): void {
  if (input !== undefined && kindOf(input) !== "[object Object]")
    throw invalid("input", 'must be an object such as { fireIn: "2h" }');
}

/** A copy of an input with an idempotency key: its own, or a new one. */
export function withKey<T extends object>(input: T | undefined): T & { idempotencyKey: string } {
  checkInput(input);
  const given = input as T & { idempotencyKey?: string };
  if (given?.idempotencyKey === null) throw invalid("idempotencyKey", "must be text: leave it out for a new one");
  return { ...given, idempotencyKey: given?.idempotencyKey ?? crypto.randomUUID() };
}

type Loose = { [field: string]: unknown; headers?: { [name: string]: unknown } };

const TIMES = ["fireAt", "fireIn", "fireAtLocal"];

/**
 * The body of a call that creates or moves a schedule. `needsTime`: a time is required; false: one that is undefined is
 * refused, since none means now. A clone without `headers` and
 * `targetUrl` keeps the headers of the original. Throws INVALID_ARGUMENT for what contradicts itself, and leaves the rest to the
 * service.
 */
export function writeSchedule(input: object, needsTime?: boolean): string {
  checkInput(input);
  const { json, ...body } = { ...input } as Loose;
  const [time, second] = TIMES.filter((name) => body[name] !== undefined);
  if (second) throw invalid(second, `must not stand beside ${time}: give one such as fireIn: "90s"`);
  const lost = TIMES.find((name) => name in body);
  if (!time && (needsTime || (lost && needsTime === false)))
    throw invalid(lost ?? "fireAt", 'is missing: give one such as fireIn: "90s"');
  if (String(body.fireAt) === "Invalid Date") throw invalid("fireAt", "must be a valid Date");
  const { headers } = body;
  // A Headers or a Map would be written as {}.
  if (headers?.[Symbol.iterator as never]) throw invalid("headers", 'must be an object such as { a: "1" }');
  let keepsType = !(headers || body.targetUrl);
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (/[\r\n]/.test(String(value))) throw invalid(`headers.${name}`, 'must be one line such as "1"');
    keepsType ||= /^content-type$/i.test(name);
  }
  if (json !== undefined) {
    if (body.payload !== undefined) throw invalid("payload", "must not stand beside json");
    body.payload = writeJson("json", json);
    if (!keepsType) body.headers = { "Content-Type": "application/json", ...headers };
  }
  return writeJson("input", body);
}
