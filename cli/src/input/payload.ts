import type { Stopwatch } from "../../../sdk/src/index.ts";
import type { CustomHeaders } from "../../../sdk/src/types.ts";
import { UsageError } from "../errors/usage-error.ts";
import { parseHeaders } from "./parse-headers.ts";
import type { PayloadOptions } from "./payload-options.ts";
import { readBody } from "./read-body.ts";

/** The payload and the headers as the API takes them. Throws a UsageError that names the option. */
export async function readPayload(
  { json, payload, header }: PayloadOptions,
  client: () => Stopwatch,
  signal: AbortSignal,
): Promise<{ payload?: string; headers?: CustomHeaders }> {
  if (json !== undefined && payload !== undefined) {
    throw new UsageError("--payload must not stand beside --json: give one", "--json '{\"order\": 7}'");
  }
  const headers = parseHeaders(header ?? []);
  const option = json === undefined ? "--payload" : "--json";
  const given = json ?? payload;
  if (typeof given !== "string") return { headers };
  const text = await readBody(given, option);
  if (json !== undefined) assertJson(text);
  await assertSize(text, option, client, signal);
  return { payload: text, headers: json === undefined ? headers : withJsonType(headers) };
}

function assertJson(text: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--json must be JSON: ${(error as Error).message}`, "--json '{\"order\": 7}'");
  }
}

/** A payload below this is smaller than any plan's limit, bytes: the service is not asked. */
const SMALL_BYTES = 4_096;

async function assertSize(text: string, option: string, client: () => Stopwatch, signal: AbortSignal): Promise<void> {
  const bytes = Buffer.byteLength(text);
  if (bytes <= SMALL_BYTES) return;
  const { limits } = await client().usage({ signal });
  if (bytes <= limits.payload_bytes) return;
  throw new UsageError(
    `${option} has ${bytes} bytes, and the plan allows ${limits.payload_bytes}`,
    `${option} @body.json, with where the receiver finds the rest`,
  );
}

function withJsonType(headers: CustomHeaders | undefined): CustomHeaders {
  const isTyped = Object.keys(headers ?? {}).some((name) => name.toLowerCase() === "content-type");
  return { ...(!isTyped && { "Content-Type": "application/json" }), ...headers };
}
