import { AppError } from "#domain/errors.ts";
import type { BodyMemory } from "./body-memory.ts";
import { ReceivedBytes } from "./received-bytes.ts";
import { ShortTurns } from "./short-turns.ts";

/** Time until the first byte of a body, ms. */
const FIRST_BYTE_MS = 5_000;
/** Time to receive any body, ms; plus one second per `PACE_BYTES` received. */
const TIME_MS = 30_000;
const PACE_BYTES = 64 * 1024;

/** The deadline of a body, ms after the request began, by the number of bytes received. */
export function bodyDeadlineMs(receivedBytes: number): number {
  return receivedBytes === 0 ? FIRST_BYTE_MS : TIME_MS + (receivedBytes / PACE_BYTES) * 1_000;
}

/** VALIDATION with status 408, for a body that is too slow. */
export function bodyTooSlow(receivedBytes: number): AppError {
  const message =
    receivedBytes === 0
      ? `The body did not begin within ${FIRST_BYTE_MS / 1_000} s.`
      : `The body was sent too slowly. The limit is ${TIME_MS / 1_000} s plus one second per ${PACE_BYTES} bytes.`;
  return new AppError("VALIDATION", message, { details: [{ path: "", message }], status: 408 });
}

/** Pieces that any body may come in; plus one for each `PIECE_BYTES` received. A piece costs 1 to 3 µs, however small it is. */
const PIECES = 20_000;
const PIECE_BYTES = 64;

/** Whether a body has come in too many pieces, such as chunks of one byte. */
export function hasTooManyPieces(pieces: number, receivedBytes: number): boolean {
  return pieces > PIECES + receivedBytes / PIECE_BYTES;
}

/** The `code` of the error of a request's stream whose body has too many pieces. */
export const TOO_MANY_PIECES = "TOO_MANY_PIECES";

function tooManyPieces(): AppError {
  const message = `The body came in too many pieces. Send it in chunks of ${PIECE_BYTES} bytes or more.`;
  return new AppError("VALIDATION", message, { details: [{ path: "", message }] });
}

/** The most bytes that `take` gets at once. */
const TAKEN_BYTES_MAX = 256 * 1024;

/** Gets the bytes of a body in order, as they arrive. `received` has them, too. What it throws ends the reading. */
export type TakeBytes = (piece: Uint8Array, received: ReceivedBytes) => void;

type Options = { bytesMax: number; memory: BodyMemory; take?: TakeBytes };

/**
 * Reads the body of a request, or returns "too large" once `Content-Length` or the bytes received exceed `bytesMax`; the
 * rest is then not read. Reserves `memory` as bytes arrive, and throws what `BodyMemory.reserve` throws. Throws VALIDATION
 * when the body ends early or comes in too many pieces. Throws it with status 408 when no byte comes for 5 s, or when the body
 * takes longer than 30 s plus one second per 64 KiB.
 */
export async function readBodyBytes(
  request: Request,
  { bytesMax, memory, take = () => {} }: Options,
): Promise<ReceivedBytes | "too large"> {
  if (Number(request.headers.get("content-length") ?? 0) > bytesMax) return "too large";
  const bytes = new ReceivedBytes();
  if (request.body === null) return bytes;

  const reader = request.body.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  const pace = watchPace(() => bytes.length, cancel);
  const turns = new ShortTurns();
  let pieces = 0;
  memory.onRevoked(cancel);
  try {
    for (;;) {
      const { done, value } = await readChunk(reader);
      if (memory.refusal !== undefined) throw memory.refusal;
      if (pace.isTooSlow()) throw bodyTooSlow(bytes.length);
      if (done) break;
      if (bytes.length + value.length > bytesMax) {
        cancel();
        return "too large";
      }
      if (hasTooManyPieces(++pieces, bytes.length)) throw tooManyPieces();
      memory.reserve(bytes.length + value.length);
      bytes.add(value);
      for (let from = 0; from < value.length; from += TAKEN_BYTES_MAX) {
        take(value.subarray(from, from + TAKEN_BYTES_MAX), bytes);
        if (turns.isOver) await turns.next();
      }
    }
    memory.settle();
    return bytes;
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
    const leftMs = startedMs + bodyDeadlineMs(size()) - performance.now();
    if (leftMs > 0) {
      timer = setTimeout(check, leftMs);
      return;
    }
    isTooSlow = true;
    cancel();
  };
  let timer = setTimeout(check, FIRST_BYTE_MS);
  return { isTooSlow: () => isTooSlow, end: () => clearTimeout(timer) };
}

async function readChunk(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read();
  } catch (error) {
    if ((error as { code?: unknown }).code === TOO_MANY_PIECES) throw tooManyPieces();
    throw new AppError("VALIDATION", "The body ended before it was complete.", { cause: error });
  }
}
