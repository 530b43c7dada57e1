import { createReadStream } from "node:fs";
import type { Stopwatch } from "../../../sdk/src/index.ts";
import type { CustomHeaders } from "../../../sdk/src/types.ts";
import { UsageError } from "../errors/usage-error.ts";
import { decodeUtf8 } from "./decode-utf8.ts";
import { parseHeaders } from "./parse-headers.ts";
import type { PayloadOptions } from "./payload-options.ts";

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

/** No call of the API may be longer than this, in bytes. */
const BODY_BYTES_MAX = 2 * 1024 * 1024;

/**
 * The text that an option stands for: itself, after `@` the contents of a file, and for `-` those of stdin. Throws a UsageError
 * that names `option` when it cannot be read, is not UTF-8, or is longer than any body.
 */
async function readBody(given: string, option: string): Promise<string> {
  if (given === "-") return decodeUtf8(await bytesOf(process.stdin, "stdin", option), option);
  if (!given.startsWith("@")) return given;
  const path = given.slice(1);
  if (path === "") throw new UsageError(`${option} names no file after @`, `${option} @body.json`);
  return decodeUtf8(await bytesOf(createReadStream(path), path, option), option);
}

async function bytesOf(stream: NodeJS.ReadableStream, name: string, option: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      chunks.push(chunk as Buffer);
      size += chunk.length;
      if (size > BODY_BYTES_MAX) break;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${option} names ${name}, which cannot be read (${code})`, `${option} @body.json`);
  }
  if (size <= BODY_BYTES_MAX) return Buffer.concat(chunks);
  throw new UsageError(
    `${option} is longer than ${BODY_BYTES_MAX} bytes, which no plan allows`,
    `${option} @body.json`,
  );
}
