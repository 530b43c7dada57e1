import postgres from "postgres";
import { GET as healthz } from "#app/healthz/route.ts";
import { GET as readyz } from "#app/readyz/route.ts";
import * as elsewhere from "#app/v1/[[...path]]/route.ts";
import * as attempts from "#app/v1/schedules/[id]/attempts/route.ts";
import * as schedule from "#app/v1/schedules/[id]/route.ts";
import * as schedules from "#app/v1/schedules/route.ts";
import * as signingSecrets from "#app/v1/signing-secrets/route.ts";
import { type Config, readConfig } from "#config.ts";
import { createOrFindAccount } from "#db/queries/accounts.ts";
import { createApiKey } from "#db/queries/api-keys.ts";
import type { PlanName } from "#domain/plans.ts";
import { startServices } from "#server/services.ts";
import { createTestDatabase } from "../../helpers/database.ts";

export const TARGET = "https://example.com/hook";
export const FUTURE = "2031-01-01T00:00:00.000Z";

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type Answer = { status: number; headers: Headers; text: string; body: any };
export type TestCaller = { accountId: string; live: string; test: string };
export type Api = Awaited<ReturnType<typeof startApi>>;

/** Settings of a web process on the database at `url`. */
export function testConfig(url: string, overrides: Record<string, string> = {}): Config {
  return readConfig({
    DATABASE_URL: url,
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString("base64")}`,
    BASE_URL: "https://api.example.com",
    LOG_LEVEL: "fatal",
    ...overrides,
  });
}

/** The API over a database of its own. `call` goes straight to the route handlers. */
export async function startApi(overrides: Record<string, string> = {}) {
  const database = await createTestDatabase();
  const sql = postgres(database.url, { max: 4, onnotice: () => {} });
  const config = testConfig(database.url, overrides);
  const services = startServices(config);

  return {
    config,
    sql,
    services,
    call,
    async account(plan: PlanName = "free"): Promise<TestCaller> {
      return services.connection.run(10_000, async ({ db }) => {
        const email = `${crypto.randomUUID()}@example.com`;
        const { id } = await createOrFindAccount(db, { email, plan, keyRing: config.keyRing, nowMs: Date.now() });
        const key = async (env: "live" | "test") => (await createApiKey(db, { accountId: id, env, name: "k" })).key;
        return { accountId: id, live: await key("live"), test: await key("test") };
      });
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
    },
  };
}

export type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";

/** Calls the handler of a path. An object as body is sent as JSON; text, bytes and streams as they are. */
export async function call(
  method: Method,
  path: string,
  key?: string | null,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const isRaw = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
  const request = new Request(`http://127.0.0.1${path}`, {
    method,
    headers: {
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    body: body === undefined ? undefined : isRaw ? (body as BodyInit) : JSON.stringify(body),
    duplex: "half",
  } as RequestInit);
  const [, handlers, id] = find(new URL(request.url).pathname);
  const response = await handlers[method](request, { params: Promise.resolve(id === undefined ? {} : { id }) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === "" ? undefined : JSON.parse(text) };
}

type Handlers = Record<Method, (request: Request, context: { params: Promise<unknown> }) => Promise<Response>>;

function find(path: string): [RegExp, Handlers, string | undefined] {
  for (const [pattern, handlers] of PATHS) {
    const match = pattern.exec(path);
    if (match) return [pattern, handlers as Handlers, match[1] && decodeURIComponent(match[1])];
  }
  throw new Error(`no handler for ${path}`);
}

const PATHS: [RegExp, Partial<Handlers>][] = [
  [/^\/v1\/schedules$/, schedules],
  [/^\/v1\/schedules\/([^/]+)$/, schedule],
  [/^\/v1\/schedules\/([^/]+)\/attempts$/, attempts],
  [/^\/v1\/signing-secrets$/, signingSecrets],
  [/^\/healthz$/, { GET: healthz }],
  [/^\/readyz$/, { GET: readyz }],
  [/^\/v1/, elsewhere],
];
