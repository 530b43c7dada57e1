import type { BodyOf, Endpoint, ParamsOf, QueryOf, ReplyOf } from "#contract/endpoint.ts";
import { checkEnvironment, NO_PARAMETERS, queryReader, readQuery } from "#contract/inputs/read-query.ts";
import { validate } from "#contract/inputs/validate.ts";
import { DatabaseUnavailable } from "#db/client.ts";
import { DEFAULT_ENVIRONMENT } from "#domain/environment.ts";
import { BODY_BYTES_MAX, bulkBodyBytesMax, type PlanLimits } from "#domain/plans.ts";
import { assertMayCall, authenticate } from "../auth/authenticate.ts";
import { cachedCaller, StaleCredential } from "../auth/cached-credentials.ts";
import { type Caller, type Ctx, createCtx, createQueries } from "../context.ts";
import { BodyMemory } from "../http/body-memory.ts";
import { callSourceOf } from "../http/call-source.ts";
import { registerCountedRoute } from "../http/counted-routes.ts";
import { type EnvelopedHandler, type ResponseMeta, type RouteHandler, withEnvelope } from "../http/envelope.ts";
import { registerFastPath } from "../http/fast-path.ts";
import { readJson, refuseBody } from "../http/read-json.ts";
import { readJsonList } from "../http/read-json-list.ts";
import type { Reply } from "../http/reply.ts";
import { limitRejections, limitRequests, partyOfAccount } from "../rate-limit/enforce.ts";
import { getServices } from "../services.ts";

export type Call<E extends Endpoint> = {
  ctx: Ctx;
  request: Request;
  params: ParamsOf<E>;
  body: BodyOf<E>;
  query: QueryOf<E>;
};

type RouteOptions = {
  allowsCachedCredential?: boolean;
  hasFastPath?: boolean;
  limit?: (meta: ResponseMeta, accountId: string, limits: PlanLimits) => Promise<void>;
};

const limitRequestsOfPlan: NonNullable<RouteOptions["limit"]> = (meta, accountId, { requestsPerMinute }) =>
  limitRequests(meta, accountId, requestsPerMinute);

/**
 * The route handler of one authenticated endpoint: authenticates as the contract says, parses query and body, calls
 * `handler` and sends its reply or the error envelope.
 *
 * `allowsCachedCredential`: skip the key look-up when this process has the key cached. Only for a handler whose writing
 * statement checks key and plan itself (`ctx.isCached`). When the handler throws, the key is looked up, and the handler
 * runs a second time if the cached credential was stale or the plan changed.
 * `hasFastPath`: see `registerFastPath`. `limit` counts the call; without it the account's requests per minute do.
 */
export function route<E extends Endpoint>(
  endpoint: E,
  handler: (call: Call<E>) => Promise<ReplyOf<E>>,
  { allowsCachedCredential = false, hasFastPath = false, limit = limitRequestsOfPlan }: RouteOptions = {},
): RouteHandler {
  const queryOf = queryReader(endpoint);
  const auth = endpoint.auth === "none" ? "any" : endpoint.auth;
  registerCountedRoute(endpoint);
  const answer = withEnvelope(async (request, context, meta) => {
    const services = getServices();
    const installation = await services.installation();
    const { query: runQuery, anonymous, readsOf } = createQueries(services);
    const lookUp = () =>
      limitRejections(
        request,
        meta,
        (isKnown) => authenticate(services, request, isKnown ? runQuery : anonymous),
        partyOfAccount,
      );
    let body: Promise<BodyOf<E>> | undefined;

    const serve = async (caller: Caller, memory: BodyMemory, isCached: boolean): Promise<Reply> => {
      const { env, query } = queryOf(request.url);
      checkEnvironment(env, caller.env);
      const read = readsOf(caller.accountId);
      const rest = { query: endpoint.method === "GET" ? read : runQuery, read, source: () => callSourceOf(request) };
      const ctx = createCtx(services, installation, caller, caller.env ?? env ?? DEFAULT_ENVIRONMENT, rest, isCached);
      const params = (await context.params) as ParamsOf<E>;
      body ??= readBody(endpoint, request, memory, ctx.limits);
      return (await handler({ ctx, request, params, query, body: await body })) as Reply;
    };

    const cached = allowsCachedCredential ? cachedCaller(services, request.headers.get("authorization")) : undefined;
    const caller = cached ?? (await lookUp());
    await limit(meta, caller.accountId, services.config.plans[caller.plan]);
    assertMayCall(caller, auth, request, services.config.baseUrl);
    if (caller.setCookie !== undefined) meta.headers["Set-Cookie"] = caller.setCookie;
    const memory = BodyMemory.ofAccount(caller.accountId);
    try {
      return await serve(caller, memory, cached !== undefined);
    } catch (error) {
      if (cached === undefined || error instanceof DatabaseUnavailable) throw error;
      const fresh = await lookUp();
      if (!(error instanceof StaleCredential) && fresh.plan === cached.plan) throw error;
      return await serve(fresh, memory, false);
    } finally {
      memory.release();
    }
  });
  return hasFastPath ? registerFastPath(`${endpoint.method} ${endpoint.path}`, answer) : answer;
}

/**
 * The route handler of an endpoint without credentials and query parameters. With `ignoreUnknown`, query parameters are
 * ignored instead of rejected: health checkers append some to bypass caches.
 */
export function simpleRoute(
  handler: (request: Request) => Promise<Reply>,
  { ignoreUnknown = false } = {},
): EnvelopedHandler {
  return withEnvelope(async (request) => {
    if (!ignoreUnknown) readQuery(request.url, NO_PARAMETERS);
    return handler(request);
  });
}

/**
 * The parsed request body, or undefined for an endpoint without one. `limits`: the plan's, for an endpoint with a
 * `bodyList`. Throws what `readJson`, `readJsonList` and `validate` throw.
 */
export async function readBody<E extends Endpoint>(
  { method, body, bodyList, bodyBytesMax: bytesMax = BODY_BYTES_MAX, isBodyOptional: mayBeEmpty }: E,
  request: Request,
  memory: BodyMemory,
  limits?: PlanLimits,
): Promise<BodyOf<E>> {
  if (body && bodyList !== undefined && limits !== undefined) {
    const bounds = { itemsMax: limits.bulkItemsMax, bytesMax: bulkBodyBytesMax(limits) };
    return validate(body, await readJsonList(request, { name: bodyList, ...bounds, memory })) as BodyOf<E>;
  }
  if (body) return validate(body, await readJson(request, { bytesMax, mayBeEmpty, memory })) as BodyOf<E>;
  if (method !== "GET") await refuseBody(request, memory);
  return undefined as BodyOf<E>;
}
