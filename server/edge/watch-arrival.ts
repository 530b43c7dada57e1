import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError } from "#domain/errors.ts";
import type { BodyMemory } from "../http/body-memory.ts";
import { bodyDeadlineMs, bodyTooSlow } from "../http/read-body-bytes.ts";

/**
 * Watches a body that Next.js reads itself, by the same rules as `readBodyBytes`: `memory` is reserved as bytes arrive,
 * and they must arrive in time. Otherwise `refuse` is called once, and what still arrives is dropped. The memory is
 * released when the response is over.
 */
export function watchArrival(
  request: IncomingMessage,
  response: Pick<ServerResponse, "on">,
  memory: BodyMemory,
  refuse: (error: AppError) => void,
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
      const refusal = refusalOf(memory, received);
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

function refusalOf(memory: BodyMemory, bytes: number): AppError | undefined {
  try {
    memory.reserve(bytes);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
