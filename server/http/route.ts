import { z } from "zod";
import { DatabaseUnavailable } from "#db/client.ts";
import type { Environment } from "#domain/environment.ts";
import { assertMayCall, authenticate, type Caller } from "../auth/authenticate.ts";
import { cachedCaller, StaleCredential } from "../auth/cached-credentials.ts";
import { type Ctx, createCtx, createQuery } from "../context.ts";
import type { BodyOf, Endpoint, QueryOf, QuerySchema, ReplyOf } from "../contract/endpoint.ts";
import { Env } from "../contract/fields.ts";
import { direct } from "../edge/fast-path.ts";
import { invalid, validate } from "../input/validate.ts";
import { limitCalls, limitRefusals } from "../rate-limit/enforce.ts";
import { services } from "../services.ts";
import { BodyRoom } from "./body-memory.ts";
import { answering, type RouteHandler } from "./envelope.ts";
import { readJson, refuseBody } from "./read-json.ts";
import { readQuery } from "./read-query.ts";
import type { Reply } from "./reply.ts";

export type Call<E extends Endpoint> = {
  ctx: Ctx;
  request: Request;
  /** Of the path; empty where it has none. */
  params: { id: string };
  body: BodyOf<E>;
  query: QueryOf<E>;
};

/**
 * The handler of one endpoint: authenticates as the contract says, reads what came, calls `handler` and writes its reply
 * or the envelope of its error. With `takesCached`, a key that is known to this process is not looked up first: that
 * is for a handler which succeeds only by a statement that looks at key and plan (`ctx.isCached`). Whatever it throws
 * may come of what no longer holds, so then the key is looked up, and it is called again if anything has changed.
 * `isDirect` is for an endpoint that is called more often than all others (see `direct`).
 */
export function route<E extends Endpoint>(
  endpoint: E,
  handler: (call: Call<E>) => Promise<ReplyOf<E>>,
  { takesCached = false, isDirect = false } = {},
): RouteHandler {
  const queryOf = queryReader(endpoint);
  const auth = endpoint.auth === "session" ? "session" : "any";
  const answer = answering(async (request, context, meta) => {
    const held = services();
    const installation = await held.installation();
    const { ask, readFor } = createQuery(held);
    const lookUp = () => limitRefusals(request, meta, () => authenticate(held, request, ask));
    let body: Promise<BodyOf<E>> | undefined;

    const serve = async (caller: Caller, room: BodyRoom, isCached: boolean): Promise<Reply> => {
      const { env, query } = queryOf(request.url);
      if (env !== undefined && caller.env !== null && env !== caller.env) {
        throw invalid([{ path: "env", message: `must be ${caller.env}, the environment of the API key` }]);
      }
      const own = endpoint.method === "GET" ? readFor(caller.accountId) : ask;
      const ctx = createCtx(held, installation, caller, caller.env ?? env ?? "live", own, isCached);
      const params = (await context.params) as { id: string };
      body ??= readBody(endpoint, request, room);
      return (await handler({ ctx, request, params, query, body: await body })) as Reply;
    };

    const recalled = takesCached ? cachedCaller(held, request.headers.get("authorization")) : undefined;
    const caller = recalled ?? (await lookUp());
    await limitCalls(meta, caller.accountId, held.config.plans[caller.plan].requestsPerMinute);
    assertMayCall(caller, auth, request, held.config.baseUrl);
    if (caller.setCookie !== undefined) meta.headers["Set-Cookie"] = caller.setCookie;
    const room = new BodyRoom(caller.accountId);
    try {
      return await serve(caller, room, recalled !== undefined);
    } catch (error) {
      if (recalled === undefined || error instanceof DatabaseUnavailable) throw error;
      const found = await lookUp();
      if (!(error instanceof StaleCredential) && found.plan === recalled.plan) throw error;
      return await serve(found, room, false);
    } finally {
      room.giveBack();
    }
  });
  return isDirect ? direct(`${endpoint.method} ${endpoint.path}`, answer) : answer;
}

/**
 * An endpoint without credentials and parameters; it touches the database only when `handler` does. With `isProbed`,
 * parameters mean nothing instead of being refused: probes add some to get past caches.
 */
export function openRoute(handler: (request: Request) => Promise<Reply>, { isProbed = false } = {}): RouteHandler {
  return answering(async (request) => {
    if (!isProbed) readQuery(request.url, NO_PARAMETERS);
    return handler(request);
  });
}

const BODY_BYTES_MAX = 2 * 1024 * 1024;
const NO_PARAMETERS = z.strictObject({});

/** Reads the query of an endpoint, and the environment where it has one. */
function queryReader<E extends Endpoint>({ query, hasEnv }: E) {
  const own = (query ?? NO_PARAMETERS) as z.ZodObject;
  const schema = hasEnv ? own.extend({ env: Env.optional() }) : own;
  return (url: string): { env: Environment | undefined; query: QueryOf<E> } => {
    const { env, ...rest } = readQuery(url, schema as unknown as QuerySchema<Record<string, unknown>>);
    return { env: env as Environment | undefined, query: rest as QueryOf<E> };
  };
}

/** The body of a call, as the contract says, or undefined where it has none. */
export async function readBody<E extends Endpoint>(
  { method, body, bodyBytesMax: bytesMax = BODY_BYTES_MAX, isBodyOptional: mayBeEmpty }: E,
  request: Request,
  room: BodyRoom,
): Promise<BodyOf<E>> {
  if (body) return validate(body, await readJson(request, { bytesMax, mayBeEmpty, room })) as BodyOf<E>;
  if (method !== "GET") await refuseBody(request, room);
  return undefined as BodyOf<E>;
}
