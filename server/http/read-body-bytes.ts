import { AppError } from "#domain/errors.ts";
import type { BodyMemory } from "./body-memory.ts";

/** Time to receive any body, ms; plus one second per `PACE_BYTES` received. */
const TIME_MS = 30_000;
const PACE_BYTES = 64 * 1024;

/**
 * Reads the body of a request, or returns "too large" once `Content-Length` or the bytes received exceed `bytesMax`; the
 * rest is then not read. Reserves `memory` before reading, and throws what `BodyMemory.reserve` throws. Throws VALIDATION
 * when the body ends early, and VALIDATION with status 408 when it takes longer than 30 s plus one second per 64 KiB.
 */
export async function readBodyBytes(
  request: Request,
  bytesMax: number,
  memory: BodyMemory,
): Promise<Buffer | "too large"> {
  const contentLength = Number(request.headers.get("content-length") ?? 0);
  if (contentLength > bytesMax) return "too large";
  if (request.body === null) return Buffer.alloc(0);
  if (contentLength > 0) memory.reserve(contentLength);

  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  const pace = watchPace(() => size, cancel);
  try {
    for (;;) {
      const { done, value } = await readChunk(reader);
      if (pace.isTooSlow()) throw tooSlow();
      if (done) return chunks.length === 1 ? Buffer.from(chunks[0] as Uint8Array) : Buffer.concat(chunks);
      size += value.byteLength;
      if (size > bytesMax) {
        cancel();
        return "too large";
      }
      memory.reserve(size);
      chunks.push(value);
    }
  } catch (error) {
    cancel();
    throw error;
  } finally {
    pace.end();
  }
}

/** Calls `cancel` once the body is slower than the minimum pace. */
function watchPace(size: () => number, cancel: () => void) {
  const startedMs = performance.now();
  let isTooSlow = false;
  const check = () => {
    const leftMs = startedMs + TIME_MS + (size() / PACE_BYTES) * 1_000 - performance.now();
    if (leftMs > 0) {
      timer = setTimeout(check, leftMs);
      return;
    }
    isTooSlow = true;
    cancel();
  };
  let timer = setTimeout(check, TIME_MS);
  return { isTooSlow: () => isTooSlow, end: () => clearTimeout(timer) };
}

async function readChunk(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read();
  } catch (error) {
    throw new AppError("VALIDATION", "The body ended before it was complete.", { cause: error });
  }
}

function tooSlow(): AppError {
  const message = `The body was sent too slowly. The limit is ${TIME_MS / 1_000} s plus one second per ${PACE_BYTES} bytes.`;
  return new AppError("VALIDATION", message, { details: [{ path: "", message }], status: 408 });
}
