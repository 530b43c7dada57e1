import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError } from "#domain/errors.ts";
import type { BodyMemory } from "../http/body-memory.ts";
import { bodyDeadlineMs, bodyTooSlow } from "../http/read-body-bytes.ts";

type Watch = {
  memory: BodyMemory;
  /** Gets the bytes as they arrive. May throw an AppError. */
  take: (piece: Uint8Array) => void;
  refuse: (error: AppError) => void;
};

/**
 * Watches a body that Next.js reads itself, by the same rules as `readBodyBytes`: `memory` is reserved as bytes arrive,
 * `take` gets them, and they must arrive in time. Otherwise `refuse` is called once, and what still arrives is dropped. The
 * memory is released when the response is over.
 */
export function watchArrival(
  request: IncomingMessage,
  response: Pick<ServerResponse, "on">,
  { memory, take, refuse }: Watch,
): void {
  const startedMs = performance.now();
  let received = 0;
  let isRefused = false;
  const end = (error: AppError) => {
    clearTimeout(timer);
    if (!isRefused) refuse(error);
    isRefused = true;
  };
  const checkPace = () => {
    const leftMs = startedMs + bodyDeadlineMs(received) - performance.now();
    if (leftMs > 0) timer = setTimeout(checkPace, leftMs);
    else end(bodyTooSlow(received));
  };
  let timer = setTimeout(checkPace, bodyDeadlineMs(0));
  memory.onRevoked(end);

  // Node.js hands over each piece by this method. Listening for data would consume the body.
  const { push } = request;
  request.push = (piece: Uint8Array | null, ...rest) => {
    if (isRefused) return true;
    if (piece === null) {
      clearTimeout(timer);
      memory.settle();
    } else {
      received += piece.length;
      const refusal = refusalOf(() => {
        memory.reserve(received);
        take(piece);
      });
      if (refusal !== undefined) {
        end(refusal);
        return true;
      }
    }
    return push.call(request, piece, ...rest);
  };
  response.on("close", () => {
    clearTimeout(timer);
    memory.release();
  });
}

function refusalOf(work: () => void): AppError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
