import type { Endpoint } from "../../../contract/endpoint.ts";
import { ENDPOINTS } from "../../../contract/endpoints.ts";
import { checkEnvironment, queryReader } from "../../../contract/inputs/read-query.ts";
import { validate } from "../../../contract/inputs/validate.ts";
import { AppError, errorPage } from "../../../domain/errors.ts";
import { BODY_BYTES_MAX, bulkBodyBytesMax } from "../../../domain/plans.ts";
import type { Account } from "./account.ts";
import { runOperations } from "./operations.ts";
import { readBody, refuseBody } from "./read-body.ts";
import { type Reply, RUNS } from "./routes.ts";

/** Answers a request as the service does. `apiKey` is the one that is known. */
export async function answer(account: Account, apiKey: string, request: Request): Promise<Response> {
  const requestId = `req_${`${++account.requests}`.padStart(32, "0")}`;
  let reply: Reply;
  try {
    reply = await replyTo(account, apiKey, request);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    reply = presentError(error, new URL(request.url).origin);
  }
  const { status = 200, body, headers } = reply;
  const hasBody = request.method !== "HEAD" && status !== 204;
  return new Response(hasBody ? JSON.stringify(body) : null, {
    status,
    headers: {
      "Cache-Control": "no-store",
      Date: new Date(account.nowMs).toUTCString(),
      ...(status !== 204 && { "Content-Type": "application/json" }),
      ...headers,
      "X-Request-Id": requestId,
    },
  });
}

async function replyTo(account: Account, apiKey: string, request: Request): Promise<Reply> {
  const url = new URL(request.url);
  const { endpoints, id } = endpointsAt(url.pathname);
  if (!endpoints.length) throw new AppError("NOT_FOUND", "There is nothing at this path.");
  const at = (method: string) => endpoints.find((one) => one.method === (method === "HEAD" ? "GET" : method));
  const Allow = METHODS.filter((name) => name === "OPTIONS" || at(name)).join(", ");
  if (request.method === "OPTIONS") return { status: 204, headers: { Allow }, body: {} };
  const endpoint = at(request.method);
  if (!endpoint) throw new AppError("METHOD_NOT_ALLOWED", `This path supports ${Allow}.`, { headers: { Allow } });
  if (endpoint.auth !== "none") authenticate(apiKey, request.headers);
  const run = RUNS.get(endpoint.operationId);
  if (!run)
    throw new AppError("FORBIDDEN", "This endpoint requires a signed-in session; an API key is not sufficient.");
  const { env, query } = queryReader(endpoint)(request.url);
  checkEnvironment(env, account.settings.env);
  const body = await readBodyOf(account, endpoint, request);
  // Running operations finish before the next call, unless that call stops them.
  if (endpoint.operationId !== "stopOperation") runOperations(account);
  return run({ account, id, url, headers: request.headers, query: query as never, body: body as never });
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Those that are here, and those that refuse an API key. */
const KNOWN = ENDPOINTS.filter(
  ({ operationId, auth }) => RUNS.has(operationId) || auth === "session" || auth === "testKey",
);

/** The endpoints of a path, and the id or key in it; "" without one. */
function endpointsAt(pathname: string): { endpoints: readonly Endpoint[]; id: string } {
  const written = KNOWN.filter(({ path }) => path === pathname);
  if (written.length) return { endpoints: written, id: "" };
  const idIn = (path: string) => new RegExp(`^${path.replace(/\{(id|key)\}/, "([^/]+)")}$`).exec(pathname)?.[1];
  const found = KNOWN.filter(({ path }) => idIn(path) !== undefined);
  // As /v1/schedules/by-key/attempts, which could be the attempts of `by-key`.
  const path = found.map(({ path }) => path).sort((a, b) => b.indexOf("{") - a.indexOf("{"))[0] ?? "";
  return { endpoints: found.filter((one) => one.path === path), id: decodeURIComponent(idIn(path) ?? "") };
}

function authenticate(apiKey: string, headers: Headers): void {
  const [, key] = /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "") ?? [];
  if (key !== apiKey)
    throw new AppError("UNAUTHORIZED", "A valid API key (Authorization: Bearer <API_KEY>) or a session is required.", {
      headers: { "WWW-Authenticate": "Bearer" },
    });
}

async function readBodyOf({ limits }: Account, endpoint: Endpoint, request: Request): Promise<unknown> {
  const { method, body, bodyList: name, bodyBytesMax = BODY_BYTES_MAX, isBodyOptional: isOptional = false } = endpoint;
  if (!body) return method === "GET" ? undefined : refuseBody(request);
  const rule =
    name === undefined
      ? { isOptional, bytesMax: bodyBytesMax }
      : { bytesMax: bulkBodyBytesMax(limits), list: { name, max: limits.bulkItemsMax } };
  return validate(body, await readBody(request, rule));
}

function presentError({ code, status, message, details, headers = {} }: AppError, origin: string): Reply {
  const doc_url = errorPage(origin, code);
  return { status, headers, body: { error: { code, message, doc_url, ...(details && { details }) } } };
}
