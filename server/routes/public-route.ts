import { z } from "zod";
import type { BodyOf, Endpoint, QueryOf, QuerySchema, ReplyOf } from "#contract/endpoint.ts";
import { readQuery } from "#contract/inputs/read-query.ts";
import { BodyMemory } from "../http/body-memory.ts";
import { callerAddressOf } from "../http/caller-address.ts";
import { type ResponseMeta, type RouteHandler, withEnvelope } from "../http/envelope.ts";
import type { Reply } from "../http/reply.ts";
import { getServices, type Services } from "../services.ts";
import { readBody } from "./route.ts";

export type PublicCall<E extends Endpoint> = {
  services: Services;
  /** Key for signing magic links and OAuth state. */
  authSecret: string;
  request: Request;
  meta: ResponseMeta;
  /** The caller's IP address, behind trusted proxies; null if unknown. */
  address: string | null;
  /** Path parameters; empty when the path has none. */
  params: Record<string, string>;
  body: BodyOf<E>;
  query: QueryOf<E>;
};

/** The route handler of an endpoint without credentials: parses query and body as the contract says, calls `handler`. */
export function publicRoute<E extends Endpoint>(
  endpoint: E,
  handler: (call: PublicCall<E>) => Promise<ReplyOf<E>>,
): RouteHandler {
  const schema = (endpoint.query ?? z.strictObject({})) as QuerySchema<QueryOf<E>>;
  return withEnvelope(async (request, context, meta) => {
    const services = getServices();
    const { authSecret } = await services.installation();
    const address = callerAddressOf(request);
    const query = readQuery(request.url, schema);
    const params = (await context.params) as Record<string, string>;
    const memory = BodyMemory.ofCaller(address);
    try {
      const body = await readBody(endpoint, request, memory);
      return (await handler({ services, authSecret, request, meta, address, params, query, body })) as Reply;
    } finally {
      memory.release();
    }
  });
}
