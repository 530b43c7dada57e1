import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { LISTEN_ORIGIN } from "../../../domain/listen-origin.ts";
import type { Answer } from "./answer-memory.ts";
import { ANSWER_BYTES_MAX, answerText } from "./answer-text.ts";
import type { Delivery } from "./delivery.ts";
import { forwardPath } from "./forward-path.ts";
import { failureCode } from "./local-failure.ts";

export type ForwardOptions = {
  /** Where deliveries go: an http or https address without credentials. */
  to: URL;
  /** Whether the local server sees the Host of the target, not its own. */
  keepHost: boolean;
  /** Whether any certificate of the local server is taken. */
  insecure: boolean;
};

/** The service takes no longer one. */
const RETRY_AFTER_MAX = 256;
/** A body is read for as long and as far as this, so that the local server may finish writing it. */
const BODY_READ_MAX = 64 * 1024;
const BODY_READ_MS = 5_000;
/** How long the body of a failed answer may take before its start is passed on, ms. */
const BODY_WAIT_MS = 1_000;

/**
 * Sends a delivery to the local server, on a connection of its own. Resolves to its answer at the status line, or to why
 * there is none; never rejects. Redirects are answers like others. `signal` gives the request up.
 */
export function forward(delivery: Delivery, options: ForwardOptions, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve) => {
    const { to } = options;
    const fail = (error: unknown) => resolve({ error: failureCode(error) });
    const path = forwardPath(to, delivery.path);
    if (path === undefined) return resolve({ error: "INVALID_PATH" });
    const startedAtMs = performance.now();
    let request: ClientRequest;
    try {
      request = (to.protocol === "https:" ? httpsRequest : httpRequest)({
        host: to.hostname.replace(/^\[(.*)\]$/, "$1"),
        port: to.port || (to.protocol === "https:" ? 443 : 80),
        method: delivery.method,
        path,
        headers: localHeaders(delivery, to, options.keepHost).flat(),
        rejectUnauthorized: !options.insecure,
        // A connection of its own: one that was kept open may be closed by a server that restarts.
        agent: false,
        signal,
      });
    } catch (error) {
      return fail(error);
    }
    request.on("error", fail);
    request.on("upgrade", (_response, socket) => {
      socket.destroy();
      resolve({ error: "SWITCHED_PROTOCOLS" });
    });
    request.on("response", (response) => {
      const latencyMs = Math.round(performance.now() - startedAtMs);
      readAnswer(response, latencyMs, resolve);
    });
    request.end(delivery.body);
  });
}

/** The headers in their order and case, with what the service's own HTTP client adds around them. */
function localHeaders({ headers, method, body }: Delivery, to: URL, keepHost: boolean): [string, string][] {
  const given = (name: string) => headers.find(([other]) => other.toLowerCase() === name)?.[1];
  const own = new Set(["host", "connection", "content-length", "transfer-encoding"]);
  const hasLength = body.length > 0 || /^(POST|PUT|PATCH)$/.test(method);
  return [
    ["host", keepHost ? (given("host") ?? new URL(LISTEN_ORIGIN).host) : to.host],
    ["connection", "keep-alive"],
    ...headers.filter(([name]) => !own.has(name.toLowerCase())),
    ...(hasLength ? [["content-length", String(body.length)] as [string, string]] : []),
  ];
}

/** Settles a success at its status line. A failure waits for the start of its body, which becomes the error text. */
function readAnswer(response: IncomingMessage, latencyMs: number, onAnswer: (answer: Answer) => void): void {
  const status = response.statusCode as number;
  const isSuccess = status >= 200 && status < 300;
  const kept: Buffer[] = [];
  let read = 0;
  const settle = () => {
    clearTimeout(wait);
    const { "retry-after": retryAfter, "content-type": contentType } = response.headers;
    const body = answerText(Buffer.concat(kept), contentType);
    onAnswer({ status, retry_after: retryAfter?.slice(0, RETRY_AFTER_MAX), body, latency_ms: latencyMs });
  };
  const end = () => {
    clearTimeout(giveUp);
    settle();
    response.destroy();
  };
  const wait = setTimeout(settle, BODY_WAIT_MS);
  const giveUp = setTimeout(end, BODY_READ_MS).unref();
  response.on("data", (chunk: Buffer) => {
    if (read < ANSWER_BYTES_MAX && !isSuccess) kept.push(chunk);
    read += chunk.length;
    if (read >= BODY_READ_MAX) end();
    else if (read >= ANSWER_BYTES_MAX) settle();
  });
  response.on("end", end).on("error", end).on("close", end);
  if (isSuccess) settle();
}
