import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";

/**
 * The header in which a route finds the address of its socket, which Next.js does not show it. Whatever a caller sends
 * under this name is overwritten before anything reads it.
 */
export const SOCKET_ADDRESS = "x-stopwatch-socket-address";

/** Writes the socket's address into the headers of every request to come. */
export function noteSocketAddresses(): void {
  subscribe("http.server.request.start", (message) =>
    noteSocketAddress((message as { request: IncomingMessage }).request),
  );
}

function noteSocketAddress(request: Pick<IncomingMessage, "headers"> & { socket: { remoteAddress?: string } }) {
  request.headers[SOCKET_ADDRESS] = request.socket.remoteAddress ?? "";
}
