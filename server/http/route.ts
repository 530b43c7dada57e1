import { z } from "zod";
import type { OrmConnection } from "#db/orm.ts";
import { authenticate } from "../auth/authenticate.ts";
import { noteKeyUse } from "../auth/note-key-use.ts";
import type { Ctx, Query } from "../context.ts";
import { DATABASE_BUDGET_MS, services } from "../services.ts";
import { validate } from "../validate.ts";
import { answering, type RouteHandler } from "./answering.ts";
import { readJson } from "./read-json.ts";
import { type QuerySchema, readQuery } from "./read-query.ts";
import type { Reply } from "./reply.ts";

export type RouteOptions<Body, Q> = {
  /** Which credentials may call. */
  auth: "any";
  /** What the body must be; without it a body is not read. */
  body?: z.ZodType<Body>;
  /** What the query may hold; without it nothing. */
  query?: QuerySchema<Q>;
};

export type Call<Body, Q> = {
  ctx: Ctx;
  request: Request;
  /** Of the path; empty where it has none. */
  params: { id: string };
  body: Body;
  query: Q;
};

/** One endpoint: authenticates, reads what came, calls `handler` and writes its reply or the envelope of its error. */
export function route<Body = undefined, Q = unknown>(
  options: RouteOptions<Body, Q>,
  handler: (call: Call<Body, Q>) => Promise<Reply>,
): RouteHandler {
  const query = options.query ?? (NO_PARAMETERS as unknown as QuerySchema<Q>);
  return answering(async (request, context) => {
    const ctx = await createCtx(request);
    return handler({
      ctx,
      request,
      params: (await context.params) as { id: string },
      query: readQuery(request.url, query),
      body: options.body ? validate(options.body, await readJson(request, BODY_BYTES_MAX)) : (undefined as Body),
    });
  });
}

/** An endpoint without credentials and parameters; it touches the database only when `handler` does. */
export function openRoute(handler: () => Promise<Reply>): RouteHandler {
  return answering(async (request) => {
    readQuery(request.url, NO_PARAMETERS);
    return handler();
  });
}

const BODY_BYTES_MAX = 2 * 1024 * 1024;
const NO_PARAMETERS = z.strictObject({});

async function createCtx(request: Request): Promise<Ctx> {
  const held = services();
  const { requestHashKey } = await held.installation();
  const query = createQuery(held.connection);
  const key = await authenticate(request.headers, query);
  if (key.isStale) noteKeyUse(held, key.id);
  return {
    config: held.config,
    tenant: { accountId: key.accountId, env: key.env },
    plan: key.plan,
    limits: held.config.plans[key.plan],
    credential: { kind: "key", id: key.id },
    requestHashKey,
    query,
  };
}

const QUERY_MS_MIN = 500;

// The queries of one call share its time.
function createQuery(connection: OrmConnection): Query {
  let leftMs = DATABASE_BUDGET_MS;
  return async (work) => {
    const startedMs = performance.now();
    try {
      return await connection.run(Math.max(leftMs, QUERY_MS_MIN), work);
    } finally {
      leftMs -= performance.now() - startedMs;
    }
  };
}
