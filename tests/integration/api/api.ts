import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { expect } from "vitest";
import { GET as healthz } from "#app/healthz/route.ts";
import * as metricsz from "#app/metricsz/route.ts";
import { GET as readyz } from "#app/readyz/route.ts";
import * as elsewhere from "#app/v1/[[...path]]/route.ts";
import * as revokeApiKey from "#app/v1/api-keys/[id]/revoke/route.ts";
import * as rotateApiKey from "#app/v1/api-keys/[id]/rotate/route.ts";
import * as apiKeys from "#app/v1/api-keys/route.ts";
import * as logOut from "#app/v1/auth/logout/route.ts";
import * as startLink from "#app/v1/auth/magic/start/route.ts";
import * as verifyLink from "#app/v1/auth/magic/verify/route.ts";
import * as comeBack from "#app/v1/auth/oauth/[provider]/callback/route.ts";
import * as startOAuth from "#app/v1/auth/oauth/[provider]/start/route.ts";
import * as billingCheckout from "#app/v1/billing/checkout/route.ts";
import * as billingEvents from "#app/v1/billing/events/route.ts";
import * as billingPortal from "#app/v1/billing/portal/route.ts";
import * as answerDelivery from "#app/v1/listen/[id]/answer/route.ts";
import * as listen from "#app/v1/listen/route.ts";
import * as logs from "#app/v1/logs/route.ts";
import * as securityEvents from "#app/v1/me/events/route.ts";
import * as identity from "#app/v1/me/identities/[id]/route.ts";
import * as identities from "#app/v1/me/identities/route.ts";
import * as relaySettings from "#app/v1/me/relay-settings/route.ts";
import * as me from "#app/v1/me/route.ts";
import * as session from "#app/v1/me/sessions/[id]/route.ts";
import * as sessions from "#app/v1/me/sessions/route.ts";
import * as unsubscribe from "#app/v1/notices/unsubscribe/route.ts";
import * as openApi from "#app/v1/openapi.json/route.ts";
import * as operation from "#app/v1/operations/[id]/route.ts";
import * as stopOperation from "#app/v1/operations/[id]/stop/route.ts";
import * as operations from "#app/v1/operations/route.ts";
import * as overview from "#app/v1/overview/route.ts";
import * as pauseRecurrence from "#app/v1/recurrences/[key]/pause/route.ts";
import * as resumeRecurrence from "#app/v1/recurrences/[key]/resume/route.ts";
import * as recurrence from "#app/v1/recurrences/[key]/route.ts";
import * as recurrences from "#app/v1/recurrences/route.ts";
import * as attempts from "#app/v1/schedules/[id]/attempts/route.ts";
import * as clone from "#app/v1/schedules/[id]/clone/route.ts";
import * as fire from "#app/v1/schedules/[id]/fire/route.ts";
import * as replay from "#app/v1/schedules/[id]/replay/route.ts";
import * as schedule from "#app/v1/schedules/[id]/route.ts";
import * as bulk from "#app/v1/schedules/bulk/route.ts";
import * as byKey from "#app/v1/schedules/by-key/[key]/route.ts";
import * as schedules from "#app/v1/schedules/route.ts";
import * as rotateSigningSecrets from "#app/v1/signing-secrets/rotate/route.ts";
import * as signingSecrets from "#app/v1/signing-secrets/route.ts";
import * as punctuality from "#app/v1/status/punctuality/route.ts";
import * as usage from "#app/v1/usage/route.ts";
import { type Config, readConfig } from "#config.ts";
import type { PlanName } from "#domain/plans.ts";
import { generateSessionToken, hashSessionToken } from "#domain/session-token.ts";
import { SOCKET_ADDRESS_HEADER, socketAddressValue } from "#server/http/socket-address.ts";
import { startServices } from "#server/services.ts";
import { createTestCaller, type TestCaller } from "../../helpers/callers.ts";
import { createTestDatabase } from "../../helpers/database.ts";
import { ENCRYPTION_KEYS } from "../../helpers/encryption-keys.ts";
import { HELD_TRANSACTIONS } from "../../helpers/held-transactions.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { assertDocumented } from "./documented.ts";

export const TARGET = "https://example.com/hook";
export const FUTURE = "2031-01-01T00:00:00.000Z";

export type { TestCaller };
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type Answer = { status: number; headers: Headers; text: string; body: any };
export type TestSession = { id: string; token: string; cookie: string };
export type Api = Awaited<ReturnType<typeof startApi>>;

// A test may make more calls per minute than any plan allows.
const UNLIMITED = JSON.stringify({ free: { requestsPerMinute: 1_000_000 }, indie: { requestsPerMinute: 1_000_000 } });

/** The settings of a web process on the database at `url`. */
export function testConfig(url: string, overrides: Record<string, string> = {}): Config {
  return readConfig({
    DATABASE_URL: url,
    ENCRYPTION_KEYS,
    BASE_URL: "https://api.example.com",
    LOG_LEVEL: "fatal",
    PLANS: UNLIMITED,
    ...overrides,
  });
}

/** The API on a database of its own. `call` calls the route handlers directly. */
export async function startApi(overrides: Record<string, string> = {}) {
  const database = await createTestDatabase();
  const sql = postgres(database.url, { max: 4, onnotice: () => {}, connection: HELD_TRANSACTIONS });
  const dataDir = await mkdtemp(join(tmpdir(), "stopwatch-api-"));
  const config = testConfig(database.serviceUrl, { DATA_DIR: dataDir, ...overrides });
  const services = startServices(config);

  return {
    config,
    database,
    sql,
    services,
    call,
    account: (plan: PlanName = "free"): Promise<TestCaller> => createTestCaller(sql, config.keyRing, plan),
    /** Creates a session of an account in the database. `ageDays` is how long ago it was started and last used. */
    async session(accountId: string, { ageDays = 0 } = {}): Promise<TestSession> {
      const token = generateSessionToken();
      const [row] = await sql`
        INSERT INTO sessions (token_hash, account_id, created_at, last_used_at, expires_at)
        SELECT ${hashSessionToken(token)}, ${accountId}, at, at, at + interval '7 days'
        FROM (SELECT now() - ${ageDays}::float8 * interval '1 day' AS at) started RETURNING id`;
      return { id: row?.id, token, cookie: `sw_session=${token}` };
    },
    async create(key: string, body: object = {}): Promise<string> {
      const answer = await call("POST", "/v1/schedules", key, { targetUrl: TARGET, fireAt: FUTURE, ...body });
      if (answer.status !== 201) throw new Error(`expected 201, got ${answer.status}: ${answer.text}`);
      return answer.body.id;
    },
    async stop() {
      await services.close();
      await sql.end();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";

/** Makes a call again for as long as it is answered with 503 and `Retry-After`, as a caller does. */
export function persist(make: () => Promise<Answer>): Promise<Answer> {
  return waitFor("a call is answered with another status than 503", async () => {
    const answer = await make();
    if (answer.status !== 503) return answer;
    expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
    return false;
  });
}

/** What /readyz tells who asks on the machine itself. */
export const askReadiness = () =>
  call("GET", "/readyz", null, undefined, { [SOCKET_ADDRESS_HEADER]: socketAddressValue("127.0.0.1") });

/**
 * Calls the handler of a path, and checks its answer against the document: the status and every field, with no further
 * ones. An object as body is sent as JSON; text, bytes and streams are sent unchanged. The credential is an API key or
 * a session.
 */
export async function call(
  method: Method,
  path: string,
  credential?: string | { cookie: string } | null,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const isRaw = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
  const request = new Request(`http://127.0.0.1${path}`, {
    method,
    headers: {
      ...(typeof credential === "string" ? { authorization: `Bearer ${credential}` } : {}),
      ...(credential && typeof credential === "object" ? { cookie: credential.cookie } : {}),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    body: body === undefined ? undefined : isRaw ? (body as BodyInit) : JSON.stringify(body),
    duplex: "half",
  } as RequestInit);
  const [handlers, params] = find(new URL(request.url).pathname);
  const response = await handlers[method](request, { params: Promise.resolve(params) });
  // A stream has no end of its own.
  const isStream = response.headers.get("content-type") === "text/event-stream";
  if (isStream) await response.body?.cancel();
  const text = isStream ? "" : await response.text();
  const answer = text === "" ? undefined : JSON.parse(text);
  const { status, headers: answered } = response;
  assertDocumented(method, new URL(request.url).pathname, { status, headers: answered, body: answer });
  return { status, headers: answered, text, body: answer };
}

type Handlers = Record<Method, (request: Request, context: { params: Promise<unknown> }) => Promise<Response>>;

function find(path: string): [Handlers, Record<string, string>] {
  for (const [pattern, handlers] of PATHS) {
    const match = pattern.exec(path);
    if (!match) continue;
    const [, id] = match;
    const params = match.groups ?? (id === undefined ? {} : { id });
    return [
      handlers as Handlers,
      Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)])),
    ];
  }
  throw new Error(`no handler for ${path}`);
}

const PATHS: [RegExp, Partial<Handlers>][] = [
  [/^\/v1\/schedules$/, schedules],
  [/^\/v1\/schedules\/bulk$/, bulk],
  [/^\/v1\/schedules\/by-key\/(?<key>[^/]+)$/, byKey],
  [/^\/v1\/schedules\/([^/]+)$/, schedule],
  [/^\/v1\/schedules\/([^/]+)\/fire$/, fire],
  [/^\/v1\/schedules\/([^/]+)\/replay$/, replay],
  [/^\/v1\/schedules\/([^/]+)\/clone$/, clone],
  [/^\/v1\/schedules\/([^/]+)\/attempts$/, attempts],
  [/^\/v1\/recurrences$/, recurrences],
  [/^\/v1\/recurrences\/(?<key>[^/]+)$/, recurrence],
  [/^\/v1\/recurrences\/(?<key>[^/]+)\/pause$/, pauseRecurrence],
  [/^\/v1\/recurrences\/(?<key>[^/]+)\/resume$/, resumeRecurrence],
  [/^\/v1\/operations$/, operations],
  [/^\/v1\/operations\/([^/]+)$/, operation],
  [/^\/v1\/operations\/([^/]+)\/stop$/, stopOperation],
  [/^\/v1\/signing-secrets$/, signingSecrets],
  [/^\/v1\/signing-secrets\/rotate$/, rotateSigningSecrets],
  [/^\/v1\/me$/, me],
  [/^\/v1\/me\/sessions$/, sessions],
  [/^\/v1\/me\/events$/, securityEvents],
  [/^\/v1\/me\/identities$/, identities],
  [/^\/v1\/me\/identities\/([^/]+)$/, identity],
  [/^\/v1\/me\/sessions\/([^/]+)$/, session],
  [/^\/v1\/me\/relay-settings$/, relaySettings],
  [/^\/v1\/notices\/unsubscribe$/, unsubscribe],
  [/^\/v1\/api-keys$/, apiKeys],
  [/^\/v1\/api-keys\/([^/]+)\/rotate$/, rotateApiKey],
  [/^\/v1\/api-keys\/([^/]+)\/revoke$/, revokeApiKey],
  [/^\/v1\/auth\/magic\/start$/, startLink],
  [/^\/v1\/auth\/magic\/verify$/, verifyLink],
  [/^\/v1\/auth\/oauth\/(?<provider>[^/]+)\/start$/, startOAuth],
  [/^\/v1\/auth\/oauth\/(?<provider>[^/]+)\/callback$/, comeBack],
  [/^\/v1\/auth\/logout$/, logOut],
  [/^\/v1\/billing\/checkout$/, billingCheckout],
  [/^\/v1\/billing\/portal$/, billingPortal],
  [/^\/v1\/billing\/events$/, billingEvents],
  [/^\/v1\/openapi\.json$/, openApi],
  [/^\/v1\/listen$/, listen],
  [/^\/v1\/listen\/([^/]+)\/answer$/, answerDelivery],
  [/^\/v1\/logs$/, logs],
  [/^\/v1\/overview$/, overview],
  [/^\/v1\/usage$/, usage],
  [/^\/v1\/status\/punctuality$/, punctuality],
  [/^\/healthz$/, { GET: healthz }],
  [/^\/readyz$/, { GET: readyz }],
  [/^\/metricsz$/, metricsz],
  [/^\/v1/, elsewhere],
];
