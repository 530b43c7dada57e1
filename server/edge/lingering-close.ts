import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Closes the connection when the response ends before the request body has arrived completely. So the server neither waits for
 * the rest of the body, which may be gigabytes, nor parses it as the next request.
 */
export function closeAfterEarlyResponse(request: IncomingMessage, response: ServerResponse): void {
  if (!("content-length" in request.headers || "transfer-encoding" in request.headers)) return;
  const { socket } = request;
  let keepAlive = response.shouldKeepAlive;
  Object.defineProperty(response, "shouldKeepAlive", {
    get: () => keepAlive && request.complete,
    set: (value) => {
      keepAlive = value;
    },
  });
  // Before the listener by which Node.js ends the connection.
  response.prependListener("finish", () => {
    if (request.complete) return;
    // Node's internal flag for discarding a body: without it, reading stops once a buffer is full.
    Object.assign(request, { _dumped: true });
    lingeringClose(socket);
  });
}

const LINGER_MS = 2_000;

/**
 * Closes a connection whose peer may still be sending: discards incoming data for up to two seconds. Closing at once would
 * send a reset, which may destroy the response before the peer has read it. What is discarded is not parsed, which would take
 * a second of CPU time for 4 MB in chunks of one byte.
 */
export function lingeringClose(socket: Socket): void {
  socket.destroySoon = () => {};
  socket.end();
  // Node.js parses below the socket until somebody listens for data, and from then on in a listener of its own.
  const discard = () => {};
  socket.on("data", discard);
  for (const one of socket.listeners("data")) if (one !== discard) socket.off("data", one as () => void);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timer));
}
