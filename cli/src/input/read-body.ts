import { createReadStream } from "node:fs";
import { UsageError } from "../errors/usage-error.ts";
import { decodeUtf8 } from "./decode-utf8.ts";

/** No call of the API may be longer than this, in bytes. */
const BODY_BYTES_MAX = 2 * 1024 * 1024;

/**
 * The text that an option stands for: itself, after `@` the contents of a file, and for `-` those of stdin. Throws a UsageError
 * that names `option` when it cannot be read, is not UTF-8, or is longer than any body.
 */
export async function readBody(given: string, option: string): Promise<string> {
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
