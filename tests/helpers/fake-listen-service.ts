import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { serveHttp } from "#scripts/lab/http-server.ts";
import { waitFor } from "./wait-for.ts";

type Refusal = { status: number; code: string; message: string; headers?: Record<string, string> };
type Reply = { status: number; body?: unknown; headers?: Record<string, string> };

export type ReceivedAnswer = { id: string; body: Record<string, unknown>; atMs: number };

/** One open stream of a listener. */
export type FakeStream = {
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  openedAtMs: number;
  ready(listener?: string): void;
  beat(): void;
  deliver(delivery?: Partial<FakeDelivery>): FakeDelivery;
  over(id: string): void;
  goodbye(reason: string, retryMs: number): void;
  /** Writes these bytes, whatever they are. */
  raw(bytes: string | Buffer): void;
  /** Ends the connection without a goodbye. */
  cut(): void;
  isClosed(): boolean;
};

export type FakeDelivery = {
  id: string;
  schedule_id: string;
  attempt: number;
  deadline: string;
  method: string;
  path: string;
  headers: [string, string][];
  body: string;
};

export type FakeListenService = Awaited<ReturnType<typeof startFakeListenService>>;

/**
 * The service as a listener meets it: the stream, the answer route, and the calls beside them. It does what a test says,
 * which may be what the service would never do.
 */
export async function startFakeListenService() {
  const streams: FakeStream[] = [];
  const answers: ReceivedAnswer[] = [];
  let refusal: Refusal | undefined;
  let onAnswer: (answer: ReceivedAnswer) => Reply = () => ({ status: 204 });
  let onCall: (method: string, path: string) => Reply = () => ({ status: 404 });
  let delivered = 0;

  const { port, origin, close } = await serveHttp(async (request, response) => {
    const url = new URL(request.url ?? "", "http://service");
    const [, id] = /^\/v1\/listen\/([^/]+)\/answer$/.exec(url.pathname) ?? [];
    if (request.method === "POST" && id) {
      const answer = { id, body: JSON.parse(await text(request)), atMs: performance.now() };
      answers.push(answer);
      return reply(response, onAnswer(answer));
    }
    if (url.pathname !== "/v1/listen") return reply(response, onCall(request.method ?? "", url.pathname + url.search));
    if (refusal) {
      const { status, code, message, headers } = refusal;
      return reply(response, { status, body: { error: { code, message } }, headers });
    }
    response.writeHead(200, {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store, no-transform",
      "X-Accel-Buffering": "no",
    });
    response.flushHeaders();
    streams.push(streamOf(url.searchParams, request, response));
  });

  function streamOf(query: URLSearchParams, request: IncomingMessage, response: ServerResponse): FakeStream {
    const write = (event: string, data: object, id?: string) =>
      response.write(`event: ${event}\n${id ? `id: ${id}\n` : ""}data: ${JSON.stringify(data)}\n\n`);
    return {
      query,
      headers: request.headers,
      openedAtMs: performance.now(),
      ready: (listener = query.get("listener") ?? `lsn_${streams.length}`) =>
        write("ready", { listener, scope: query.get("scope"), ends_at: new Date(Date.now() + 270_000).toISOString() }),
      beat: () => void response.write(": beat\n\n"),
      deliver(given = {}) {
        const delivery = { ...someDelivery(`exc_${++delivered}`), ...given };
        write("delivery", delivery, delivery.id);
        return delivery;
      },
      over: (exchange) => void write("over", { id: exchange }),
      goodbye(reason, retryMs) {
        write("goodbye", { reason, retry_ms: retryMs });
        response.end();
      },
      raw: (bytes) => void response.write(bytes),
      cut: () => void response.socket?.destroy(),
      isClosed: () => response.destroyed || response.writableEnded,
    };
  }

  return {
    url: origin,
    port,
    streams,
    answers,
    /** The nth stream, from 0, once it is open. */
    stream: (nth: number, deadlineMs?: number) => waitFor(`stream ${nth} is open`, () => streams[nth], deadlineMs),
    /** The nth answer, from 0, once it has come. */
    answer: (nth: number) => waitFor(`answer ${nth} has come`, () => answers[nth]),
    /** Refuses streams from now on; nothing: takes them again. */
    refuse(next?: Refusal) {
      refusal = next;
    },
    replyToAnswers(next: typeof onAnswer) {
      onAnswer = next;
    },
    /** Replies to the calls beside streams and answers. */
    replyToCalls(next: typeof onCall) {
      onCall = next;
    },
    close,
  };
}

function reply(response: ServerResponse, { status, body, headers }: Reply): void {
  response.writeHead(status, { ...(body !== undefined && { "Content-Type": "application/json" }), ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

function someDelivery(id: string): FakeDelivery {
  return {
    id,
    schedule_id: "sch_01kxyz5n3h8q2v7c4m9t6w0b1d",
    attempt: 1,
    deadline: new Date(Date.now() + 30_000).toISOString(),
    method: "POST",
    path: "/hooks/a?x=1",
    headers: [
      ["Content-Type", "application/json"],
      ["X-Service-Attempt", "1"],
      ["X-Service-Fire-At", new Date().toISOString()],
    ],
    body: Buffer.from('{"n":1}').toString("base64"),
  };
}
