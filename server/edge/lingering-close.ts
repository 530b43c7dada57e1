import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Makes an answer that is given before its request has arrived to the end the last one of its connection: what is still
 * to come, up to gigabytes, is neither waited for nor taken for the next request.
 */
export function closeUnlessRead(request: IncomingMessage, response: ServerResponse): void {
  if (!("content-length" in request.headers || "transfer-encoding" in request.headers)) return;
  const { socket } = request;
  let keepAlive = response.shouldKeepAlive;
  Object.defineProperty(response, "shouldKeepAlive", {
    get: () => keepAlive && request.complete,
    set: (wanted) => {
      keepAlive = wanted;
    },
  });
  // Ahead of the listener by which Node.js would end the connection.
  response.prependListener("finish", () => {
    if (request.complete) return;
    // Node's own mark for a body that nobody wants: otherwise it stops reading once a buffer is full.
    Object.assign(request, { _dumped: true });
    closeGently(socket);
  });
}

const LINGER_MS = 2_000;

/**
 * Ends a connection whose other side may still be sending: reads on for up to two seconds and drops what comes, since a
 * reset would take the answer away that is on its way.
 */
export function closeGently(socket: Socket): void {
  socket.destroySoon = () => {};
  socket.end();
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timer));
}
