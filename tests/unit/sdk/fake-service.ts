import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { generateApiKey } from "#domain/api-key.ts";
import { serveHttp } from "#scripts/lab/http-server.ts";
import { Stopwatch, type StopwatchOptions } from "../../../sdk/src/index.ts";

export type Received = {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any;
  /** When it had arrived, by performance.now(). */
  atMs: number;
};

export type Answer = (request: Received, response: ServerResponse, socket: Socket) => void;

export type FakeService = Awaited<ReturnType<typeof startFakeService>>;

export const SCHEDULE_ID = "sch_01kbm5qk4f8rz3c2x7w9v6n1ta";
export const OPERATION_ID = "op_01kbm5qk4f8rz3c2x7w9v6n1ta";

/**
 * A local HTTP server in the place of the service. It answers each request by the next of `answers`, and by the last one
 * from then on. What the service itself answers is tested in tests/integration/sdk.
 */
export async function startFakeService() {
  const requests: Received[] = [];
  let answers: Answer[] = [];
  let connections = 0;
  const { server, origin, close } = await serveHttp(async (message, response) => {
    const text = await textOf(message);
    const body = text === "" ? undefined : JSON.parse(text);
    const { method = "", url = "", headers } = message;
    const request = { method, url, headers, text, body, atMs: performance.now() };
    requests.push(request);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer === undefined) throw new Error(`no answer was set for ${method} ${url}`);
    answer(request, response, message.socket);
  });
  server.on("connection", () => connections++);
  return {
    origin,
    /** The requests since `answer` was called last. */
    requests,
    /** How many connections there were so far. */
    connections: () => connections,
    answer(...next: Answer[]) {
      requests.length = 0;
      answers = next;
    },
    client: (options: StopwatchOptions = {}) => new Stopwatch(KEY, { baseUrl: origin, ...options }),
    stop: close,
  };
}

export const KEY = generateApiKey("test");

/** Answers JSON. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (_request, response) => {
    response.writeHead(status, { "Content-Type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Answers an error in the service's envelope. */
export function refusal(status: number, code: string, more: object = {}, headers: Record<string, string> = {}): Answer {
  return json(status, { error: { code, message: `it is ${code}`, ...more } }, { "X-Request-Id": "req_1", ...headers });
}

/** Closes the connection without an answer. */
export const hangUp: Answer = (_request, _response, socket) => socket.destroy();

/** Never answers. */
export const silence: Answer = () => {};
