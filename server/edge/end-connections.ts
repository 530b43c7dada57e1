import type { Server, ServerResponse } from "node:http";
import { stopStreams } from "../listen/open-streams.ts";

/** How long a reader has to take the goodbye of its stream once the server stops, ms. */
const TAKEN_WITHIN_MS = 500;
/** When the connections that are left are cut, ms. A process manager kills after as long, or later. */
const CUT_AFTER_MS = 30_000;
/**
 * How long a server that stops serves on behind a proxy, ms: until the proxy has closed its idle connections (the shipped ones
 * after 4 s) and seen in `/healthz`, which it may ask each second, that no more calls should come.
 */
const SERVES_ON_FOR_MS = 5_000;
/** A turn of the event loop in which nothing had to be done takes less, ms. */
const QUIET_TURN_MS = 0.03;
/** How long such a turn is waited for, ms. */
const QUIET_WITHIN_MS = 1_000;

/**
 * Ends the connections of `server` when it is closed, which otherwise waits for callers that keep theirs busy: each ends with the
 * answer that is under way, streams of events at once, and what is left after `cutAfterMs` is cut. Idle ones end at once. With
 * `isBehindProxy` idle and new connections are answered for `servesOnForMs`, since a proxy cannot repeat a call that it has sent.
 * Returns a function that is to be told of each answer.
 */
export function endConnectionsOnClose(
  server: Server,
  isBehindProxy: () => boolean = () => false,
  { cutAfterMs = CUT_AFTER_MS, servesOnForMs = SERVES_ON_FOR_MS } = {},
): (response: ServerResponse) => void {
  const open = new Set<ServerResponse>();
  let isClosing = false;
  const { close } = server;
  server.close = (callback) => {
    isClosing = true;
    server.once("close", stopStreams());
    // A proxy that was told that the connection stays may have sent its next call.
    for (const response of open) if (!(isBehindProxy() && response.headersSent)) endWith(response);
    setTimeout(() => {
      for (const response of open) if (isStream(response)) response.destroy();
    }, TAKEN_WITHIN_MS).unref();
    setTimeout(() => server.closeAllConnections(), cutAfterMs).unref();
    if (!isBehindProxy()) return close.call(server, callback);
    setTimeout(() => inQuietTurn(() => close.call(server, callback)), servesOnForMs);
    return server;
  };
  return (response) => {
    open.add(response);
    response.once("close", () => open.delete(response));
    if (isClosing) endWith(response);
  };
}

/**
 * Calls `close` once in a turn of the event loop in which nothing had to be done. Callers that the system has let in and this
 * process has not are cut off with the listener: in such a turn there are hardly any.
 */
function inQuietTurn(close: () => void): void {
  const latest = performance.now() + QUIET_WITHIN_MS;
  const look = (last: number) => {
    const now = performance.now();
    if (now - last < QUIET_TURN_MS || now > latest) close();
    else setImmediate(look, performance.now());
  };
  setImmediate(look, -Infinity);
}

/** Lets the connection end with this answer, which says so when it has not begun. */
function endWith(response: ServerResponse): void {
  const { socket } = response;
  response.shouldKeepAlive = false;
  response.once("finish", () => socket?.end());
}

function isStream(response: ServerResponse): boolean {
  return response.getHeader("content-type") === "text/event-stream";
}
