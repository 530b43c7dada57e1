import { AppError } from "#domain/errors.ts";
import type { BodyRoom } from "./body-memory.ts";

/** Every body may take this long to come, ms, and longer by what it has at `PACE_BYTES` a second. */
const TIME_MS = 30_000;
const PACE_BYTES = 64 * 1024;

/**
 * The bytes of a request's body, or "too large" when there are more than `bytesMax`, by its length or as it comes: then
 * the rest is not read. Its bytes have their place in `room` before they are read, so this throws what `take` throws.
 * Throws VALIDATION when the body breaks off, and with status 408 when it has not come within 30 s and what it takes at
 * 64 KiB a second.
 */
export async function readBytes(request: Request, bytesMax: number, room: BodyRoom): Promise<Buffer | "too large"> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > bytesMax) return "too large";
  if (request.body === null) return Buffer.alloc(0);
  if (announced > 0) room.take(announced);

  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  const giveUp = () => void reader.cancel().catch(() => {});
  const pace = keepPace(() => size, giveUp);
  try {
    for (;;) {
      const { done, value } = await readOn(reader);
      if (pace.isTooSlow()) throw tooSlow();
      if (done) return chunks.length === 1 ? Buffer.from(chunks[0] as Uint8Array) : Buffer.concat(chunks);
      size += value.byteLength;
      if (size > bytesMax) {
        giveUp();
        return "too large";
      }
      room.take(size);
      chunks.push(value);
    }
  } catch (error) {
    giveUp();
    throw error;
  } finally {
    pace.end();
  }
}

/** Calls `giveUp` when what has come by now is too little. */
function keepPace(size: () => number, giveUp: () => void) {
  const startedMs = performance.now();
  let isTooSlow = false;
  const look = () => {
    const leftMs = startedMs + TIME_MS + (size() / PACE_BYTES) * 1_000 - performance.now();
    if (leftMs > 0) {
      timer = setTimeout(look, leftMs);
      return;
    }
    isTooSlow = true;
    giveUp();
  };
  let timer = setTimeout(look, TIME_MS);
  return { isTooSlow: () => isTooSlow, end: () => clearTimeout(timer) };
}

async function readOn(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read();
  } catch (error) {
    throw new AppError("VALIDATION", "The body ended before it was complete.", { cause: error });
  }
}

function tooSlow(): AppError {
  const message = `The body did not come in time: it has ${TIME_MS / 1_000} s, and a second more for each ${PACE_BYTES} bytes.`;
  return new AppError("VALIDATION", message, { details: [{ path: "", message }], status: 408 });
}
