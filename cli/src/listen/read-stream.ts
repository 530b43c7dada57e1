import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { ClockWatch } from "./clock-watch.ts";
import { EventReader, type StreamEvent } from "./event-reader.ts";

/** Why a stream ended, or never began. */
export type StreamEnd =
  /** The service answered, but with no stream. */
  | { kind: "refused"; status: number; code: string; message: string; requestId?: string; retryAfterMs: number }
  | { kind: "silent"; ms: number }
  | { kind: "clock jumped"; ms: number }
  | { kind: "goodbye"; reason: string; retryMs: number }
  /** The connection could not be opened (`isOpen` false), or it broke. */
  | { kind: "broken"; isOpen: boolean; why: string }
  /** What came is no stream of this protocol. */
  | { kind: "unreadable"; why: string }
  | { kind: "stopped" };

export type StreamOptions = {
  url: URL;
  key: string;
  userAgent: string;
  /** Ends the stream. */
  signal: AbortSignal;
  /** Without a byte for this long, the connection counts as dead, ms. The service writes each 10 s. */
  silenceMs: number;
  /** The events but `goodbye`, with their data parsed, and by how much the service's clock is ahead, ms, to the second. */
  onEvent(event: string, data: unknown, aheadMs: number): void;
};

const LOOK_MS = 1_000;
const REFUSAL_BYTES_MAX = 64 * 1024;

/** Opens a stream of deliveries and reads it to its end. Resolves to why it ended; never rejects. */
export function readStream({ url, key, userAgent, signal, silenceMs, onEvent }: StreamOptions): Promise<StreamEnd> {
  return new Promise((resolve) => {
    const watch = new ClockWatch(Date.now());
    const headers = { Authorization: `Bearer ${key}`, Accept: "text/event-stream", "User-Agent": userAgent };
    const request = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, { headers, agent: false });
    let isOpen = false;
    let isOver = false;
    const end = (why: StreamEnd) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(silence);
      clearInterval(looks);
      signal.removeEventListener("abort", stop);
      request.destroy();
      resolve(why);
    };
    const stop = () => end({ kind: "stopped" });
    const silence = setTimeout(() => end({ kind: "silent", ms: silenceMs }), silenceMs);
    /** Ends the stream when the machine slept: what waits in the socket may be long over. */
    const look = () => {
      const jumpMs = watch.look(Date.now());
      if (jumpMs !== undefined) end({ kind: "clock jumped", ms: jumpMs });
    };
    const looks = setInterval(look, LOOK_MS);
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();

    const read = (response: IncomingMessage) => {
      isOpen = true;
      const aheadMs = aheadOf(response);
      const reader = new EventReader();
      response.on("data", (chunk: Buffer) => {
        look();
        silence.refresh();
        if (isOver) return;
        try {
          for (const event of reader.take(chunk)) {
            const { data, goodbye } = parse(event);
            if (isOver) return;
            if (goodbye) return end(goodbye);
            onEvent(event.event, data, aheadMs);
          }
        } catch (error) {
          end({ kind: "unreadable", why: (error as Error).message });
        }
      });
    };
    request.on("response", (response) => {
      response.on("error", (error) => end(broken(error, isOpen)));
      response.on("close", () => end({ kind: "broken", isOpen, why: "the service closed it" }));
      const isStream = /^text\/event-stream\b/i.test(response.headers["content-type"] ?? "");
      if (response.statusCode === 200 && isStream) read(response);
      else readRefusal(response, end);
    });
    request.on("error", (error) => end(broken(error, isOpen)));
    request.end();
  });
}

function parse({ event, data }: StreamEvent): { data: unknown; goodbye?: StreamEnd } {
  const parsed: unknown = JSON.parse(data);
  if (event !== "goodbye") return { data: parsed };
  const { reason, retry_ms: retryMs } = parsed as { reason?: unknown; retry_ms?: unknown };
  return { data: parsed, goodbye: { kind: "goodbye", reason: String(reason), retryMs: Number(retryMs) || 0 } };
}

/** Reads an answer that is no stream. Its error is that of the service's envelope, where it has one. */
function readRefusal(response: IncomingMessage, end: (why: StreamEnd) => void): void {
  const { statusCode: status = 0, headers } = response;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const settle = () => {
    const { code, message } = errorIn(Buffer.concat(chunks).toString());
    const requestId = headers["x-request-id"];
    const retryAfterMs = (Number(headers["retry-after"]) || 0) * 1_000;
    end({
      kind: "refused",
      status,
      code: code ?? "BAD_RESPONSE",
      message: message ?? `the address answers with status ${status}, and not as the service does`,
      retryAfterMs,
      ...(typeof requestId === "string" && { requestId }),
    });
  };
  response.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > REFUSAL_BYTES_MAX) settle();
  });
  response.on("end", settle);
}

function errorIn(text: string): { code?: string; message?: string } {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: string; message?: string } };
    return { code: error?.code, message: error?.message };
  } catch {
    return {};
  }
}

/** By how much the clock of the service is ahead of this one's, ms; 0 where it does not say. */
function aheadOf({ headers }: IncomingMessage): number {
  const atMs = Date.parse(headers.date ?? "");
  // The header is cut to the second.
  return Number.isNaN(atMs) ? 0 : atMs + 500 - Date.now();
}

function broken(error: Error, isOpen: boolean): StreamEnd {
  const { code, errors } = error as { code?: string; errors?: { code?: string }[] };
  return { kind: "broken", isOpen, why: code ?? errors?.[0]?.code ?? error.message };
}
