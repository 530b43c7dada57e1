import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Certificates, createCertificates } from "./certificates.ts";
import { preciseNow } from "./clock.ts";
import { serveHttp } from "./http-server.ts";

export type ReceivedRequest = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  body: Buffer;
  /** When its header block was complete, epoch ms. */
  arrivedAtMs: number;
  /** When its answer or its connection ended; null while it is open. */
  endedAtMs: number | null;
};

/** Answers a request that has come as a whole. */
export type Respond = (request: ReceivedRequest, response: ServerResponse, socket: Socket) => void;

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/**
 * A real local receiver over HTTPS, or over HTTP without `tls`, that records every request and answers 200 "ok" unless
 * `respond` says otherwise.
 */
export async function startReceiver(
  options: {
    tls?: boolean;
    /** Those of another receiver, instead of new ones. */
    certificates?: Certificates;
    respond?: Respond;
    /** For a process that reports its requests and runs for long: it does not keep them. */
    keepsRequests?: boolean;
    /** Gets each request as soon as its header block is complete. */
    onHead?: (request: ReceivedRequest) => void;
    /** Gets each request when its answer or its connection has ended. */
    onEnded?: (request: ReceivedRequest, response: ServerResponse) => void;
  } = {},
) {
  const { tls = true, keepsRequests = true, onHead, onEnded } = options;
  const certificates = tls ? (options.certificates ?? (await createCertificates())) : null;
  const requests: ReceivedRequest[] = [];
  let answer: Respond = options.respond ?? ((_request, response) => response.end("ok"));
  let open = 0;

  const receive = (message: IncomingMessage, response: ServerResponse) => {
    const request: ReceivedRequest = {
      method: message.method ?? "",
      path: message.url ?? "",
      headers: message.headers,
      rawHeaders: message.rawHeaders,
      body: Buffer.alloc(0),
      arrivedAtMs: preciseNow(),
      endedAtMs: null,
    };
    const chunks: Buffer[] = [];
    open++;
    onHead?.(request);
    message.on("data", (chunk) => chunks.push(chunk));
    response.on("close", () => {
      open--;
      request.endedAtMs = preciseNow();
      onEnded?.(request, response);
    });
    message.on("end", () => {
      request.body = Buffer.concat(chunks);
      if (keepsRequests) requests.push(request);
      answer(request, response, message.socket);
    });
  };
  // A dispatcher that is stopped for long may go on with its request.
  const timeouts = { keepAliveTimeout: 60_000, requestTimeout: 0 };
  const { port, connections, close } = await serveHttp(receive, certificates, timeouts);
  return {
    port,
    origin: `${tls ? "https" : "http"}://localhost:${port}`,
    /** PEM of the authority that signed its certificate. */
    ca: certificates?.ca ?? "",
    requests,
    connections,
    /** The number of requests that have not ended. */
    open: () => open,
    respond(next: Respond) {
      answer = next;
    },
    close,
  };
}
