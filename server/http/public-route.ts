import { z } from "zod";
import type { BodyOf, Endpoint, QueryOf, QuerySchema, ReplyOf } from "../contract/endpoint.ts";
import { addressOf } from "../rate-limit/enforce.ts";
import { type Services, services } from "../services.ts";
import { BodyRoom } from "./body-memory.ts";
import { answering, type ResponseMeta, type RouteHandler } from "./envelope.ts";
import { readQuery } from "./read-query.ts";
import type { Reply } from "./reply.ts";
import { readBody } from "./route.ts";

export type OpenCall<E extends Endpoint> = {
  held: Services;
  /** What magic links and OAuth are bound with. */
  authSecret: string;
  request: Request;
  meta: ResponseMeta;
  /** The caller's address, seen through trusted proxies; null where nobody knows. */
  address: string | null;
  /** Of the path; empty where it has none. */
  params: Record<string, string>;
  body: BodyOf<E>;
  query: QueryOf<E>;
};

/** The handler of an endpoint that asks for no credential: reads what came as the contract says and calls `handler`. */
export function openEndpoint<E extends Endpoint>(
  endpoint: E,
  handler: (call: OpenCall<E>) => Promise<ReplyOf<E>>,
): RouteHandler {
  const schema = (endpoint.query ?? z.strictObject({})) as QuerySchema<QueryOf<E>>;
  return answering(async (request, context, meta) => {
    const held = services();
    const { authSecret } = await held.installation();
    const address = addressOf(request);
    const query = readQuery(request.url, schema);
    const params = (await context.params) as Record<string, string>;
    const room = new BodyRoom(`caller ${address}`);
    try {
      const body = await readBody(endpoint, request, room);
      return (await handler({ held, authSecret, request, meta, address, params, query, body })) as Reply;
    } finally {
      room.giveBack();
    }
  });
}
