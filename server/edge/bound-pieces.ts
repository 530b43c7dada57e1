import type { IncomingMessage } from "node:http";
import { hasTooManyPieces, TOO_MANY_PIECES } from "../http/read-body-bytes.ts";

/**
 * Ends a body that comes in too many pieces, such as chunks of one byte: the parser of Node.js takes a microsecond for
 * each. The reader of the body gets an error, and nothing more is read.
 */
export function boundPieces(request: IncomingMessage): void {
  if (!("content-length" in request.headers || "transfer-encoding" in request.headers)) return;
  let pieces = 0;
  let received = 0;
  let isOver = false;
  // Node.js hands over each piece by this method. Listening for data would consume the body.
  const { push } = request;
  request.push = (piece: Uint8Array | null, ...rest) => {
    if (isOver) return false;
    received += piece?.length ?? 0;
    if (piece === null || !hasTooManyPieces(++pieces, received)) return push.call(request, piece, ...rest);
    isOver = true;
    const fail = () => {
      request.emit("error", Object.assign(new Error("the body has too many pieces"), { code: TOO_MANY_PIECES }));
    };
    // Not `destroy`, which would end the connection without an answer. A later reader gets the error by `_read`.
    request._read = () => process.nextTick(fail);
    request.on("error", () => {});
    fail();
    return false;
  };
}
