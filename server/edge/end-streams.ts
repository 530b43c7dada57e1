import type { Server, ServerResponse } from "node:http";
import { stopStreams } from "../listen/open-streams.ts";

/** How long a reader has to take the goodbye of its stream once the server stops, ms. */
const TAKEN_WITHIN_MS = 500;

/**
 * Ends the streams of events when `server` is closed, which otherwise waits for them. A connection whose reader does not take
 * the end is cut. Returns a function that is to be told of each answer.
 */
export function endStreamsOnClose(server: Server): (response: ServerResponse) => void {
  const open = new Set<ServerResponse>();
  const { close } = server;
  server.close = (callback) => {
    server.once("close", stopStreams());
    setTimeout(() => {
      for (const response of open) if (isStream(response)) response.destroy();
    }, TAKEN_WITHIN_MS).unref();
    return close.call(server, callback);
  };
  return (response) => {
    open.add(response);
    response.once("close", () => open.delete(response));
  };
}

function isStream(response: ServerResponse): boolean {
  return response.getHeader("content-type") === "text/event-stream";
}
