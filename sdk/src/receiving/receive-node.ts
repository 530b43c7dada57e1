import { bodyBytes, refuseUsedBody } from "../signatures/body.ts";
import { answer, checkOptions, type ReceiveOptions } from "./answer.ts";
import { readStream } from "./read-stream.ts";

type Chunks = AsyncIterable<Uint8Array | string>;

/** What is used of Node's `IncomingMessage`, and of what Express and others add to it. */
export type NodeRequest = {
  readonly method?: string | undefined;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly readableDidRead: boolean;
  resume(): unknown;
  iterator(options: { destroyOnReturn: boolean }): Chunks;
  readonly body?: unknown;
  readonly rawBody?: unknown;
};

/** What is used of Node's `ServerResponse`. */
export type NodeResponse = {
  statusCode: number;
  readonly headersSent: boolean;
  setHeader(name: string, value: string): unknown;
  end(text: string): unknown;
};

/**
 * The handler of `receive` for node:http, Express, and the raw requests of Fastify. Where the body was read before, it
 * takes the bytes of `express.raw()` or of `rawBody`. `next` gets what `onDelivery` throws, instead of an answer.
 */
export function receiveNode(
  options: ReceiveOptions,
): (request: NodeRequest, response: NodeResponse, next?: (error?: unknown) => void) => Promise<void> {
  checkOptions(options);
  return async (request, response, next) => {
    const readBody = async (maxBytes: number) => {
      // The socket outlives the iterator, so that the answer to a body that is too large arrives.
      if (!request.readableDidRead) return readStream(request.iterator({ destroyOnReturn: false }), maxBytes);
      return readStream([bodyBytes(request.rawBody ?? request.body ?? refuseUsedBody())], maxBytes);
    };
    const answered = await answer(request.headers, readBody, options, next);
    if (!answered || response.headersSent) return;
    response.statusCode = answered.status;
    for (const [name, value] of answered.headers) response.setHeader(name, value);
    response.end(await answered.text());
    // The unread rest of a body that is too large would block the connection.
    request.resume();
  };
}
