import { invalid } from "./invalid.ts";

type Loose = { [field: string]: unknown; headers?: { [name: string]: unknown } };

/** A value as JSON. Throws INVALID_ARGUMENT for what has none: a cycle, a BigInt, a function. */
export function writeJson(field: string, value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    // The message may quote the value.
  }
  if (text === undefined)
    throw invalid(field, 'cannot be written as JSON, such as { "id": 1 }: it has a cycle or a BigInt');
  return text;
}

/** A copy of an input with an idempotency key: its own, or a new one. */
export function withKey<T extends object>(input: T | undefined): T & { idempotencyKey: string } {
  const { idempotencyKey } = (input ?? {}) as { idempotencyKey?: string };
  return { ...(input as T), idempotencyKey: idempotencyKey ?? crypto.randomUUID() };
}

/**
 * The body of a call that creates or moves a schedule. `needsTime`: a time is required. `keepsHeaders`: without `headers`
 * those of the original stay. Throws INVALID_ARGUMENT for what contradicts itself, and leaves the rest to the service.
 */
export function writeSchedule(
  input: object,
  { needsTime, keepsHeaders }: { needsTime?: boolean; keepsHeaders?: boolean } = {},
): string {
  const { json, ...body } = { ...input } as Loose;
  const times = ["fireAt", "fireIn", "fireAtLocal"].filter((name) => body[name] !== undefined);
  if (times[1]) throw invalid(times[1], `must not be given beside ${times[0]}: give one time, such as fireIn: "90s"`);
  if (needsTime && !times[0]) throw invalid("fireAt", 'is missing: give a time, such as fireIn: "90s"');
  if (String(body.fireAt) === "Invalid Date") throw invalid("fireAt", "is an invalid Date");
  if (body.headers !== undefined) checkHeaders(body.headers);
  if (json !== undefined) {
    if (body.payload !== undefined) throw invalid("payload", "must not be given beside json");
    body.payload = writeJson("json", json);
    const names = Object.keys(body.headers ?? {});
    if ((body.headers || !keepsHeaders) && !names.some((name) => /^content-type$/i.test(name)))
      body.headers = { "Content-Type": "application/json", ...body.headers };
  }
  return writeJson("input", body);
}

function checkHeaders(headers: object): void {
  // A Headers or a Map would be written as {}.
  if (Symbol.iterator in Object(headers)) throw invalid("headers", 'must be a plain object, such as { "X-A": "1" }');
  for (const [name, value] of Object.entries(headers ?? {}))
    if (/[\r\n]/.test(String(value)))
      throw invalid(`headers.${name}`, 'must not have a line break, such as "one line"');
}
