import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";

/**
 * The request header that passes the socket's remote address to routes, which Next.js does not expose. A value sent by the
 * caller is overwritten before any code reads it.
 */
export const SOCKET_ADDRESS_HEADER = "x-stopwatch-socket-address";

/** Sets `SOCKET_ADDRESS_HEADER` on every request from now on. */
export function recordSocketAddresses(): void {
  subscribe("http.server.request.start", (message) =>
    recordSocketAddress((message as { request: IncomingMessage }).request),
  );
}

function recordSocketAddress(request: Pick<IncomingMessage, "headers"> & { socket: { remoteAddress?: string } }) {
  request.headers[SOCKET_ADDRESS_HEADER] = request.socket.remoteAddress ?? "";
}
