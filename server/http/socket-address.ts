import { randomBytes, timingSafeEqual } from "node:crypto";
import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";

/**
 * The request header that passes the socket's remote address to routes, which Next.js does not expose. A value sent by the
 * caller is overwritten before any code reads it. Where this process does not own the sockets, nothing overwrites it, and
 * no value is believed, since none has the secret of the process.
 */
export const SOCKET_ADDRESS_HEADER = "x-stopwatch-socket-address";

/** Sets `SOCKET_ADDRESS_HEADER` on every request from now on. */
export function recordSocketAddresses(): void {
  subscribe("http.server.request.start", (message) => {
    const { headers, socket } = (message as { request: IncomingMessage }).request;
    headers[SOCKET_ADDRESS_HEADER] = socketAddressValue(socket.remoteAddress ?? "");
  });
}

/** The value of `SOCKET_ADDRESS_HEADER` for an address; empty for a socket that has none. */
export function socketAddressValue(address: string): string {
  return `${secret()} ${address}`;
}

/** The address of the socket that a request came over; empty if it had none, null where this process owns no sockets. */
export function readSocketAddress(headers: Headers): string | null {
  const given = Buffer.from(headers.get(SOCKET_ADDRESS_HEADER) ?? "");
  // The runtime drops the space at the end of a header.
  const expected = Buffer.from(secret());
  const own = given.subarray(0, expected.length);
  if (own.length !== expected.length || !timingSafeEqual(own, expected)) return null;
  return given.toString("latin1", expected.length).trim();
}

// On globalThis, since Next.js loads this module twice: in the routes' bundle and in that of instrumentation.ts.
function secret(): string {
  const store = globalThis as { [SECRET]?: string };
  store[SECRET] ??= randomBytes(SECRET_BYTES).toString("base64url");
  return store[SECRET];
}

const SECRET = Symbol.for("stopwatch.socket-address-secret");
const SECRET_BYTES = 24;
