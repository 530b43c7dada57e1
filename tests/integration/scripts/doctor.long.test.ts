// Guards: scripts/doctor/**, scripts/commands/doctor.ts, scripts/nearest-folder.ts
// Needs: pgbouncer
import pino from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { GET as healthz } from "#app/healthz/route.ts";
import { GET as metricsz } from "#app/metricsz/route.ts";
import { type Dispatcher, startDispatcher } from "#dispatcher/dispatcher.ts";
import { CHECKS } from "#scripts/doctor/checks.ts";
import { openContext } from "#scripts/doctor/context.ts";
import { lineOf } from "#scripts/doctor/report.ts";
import { type Result, runChecks } from "#scripts/doctor/run-checks.ts";
import { serveHttp } from "#scripts/lab/http-server.ts";
import { startServices } from "#server/services.ts";
import { ENCRYPTION_KEYS } from "../../helpers/encryption-keys.ts";
import { leaveHeartbeat } from "../../helpers/incarnations.ts";
import { makeClockMovable } from "../../helpers/movable-clock.ts";
import { PGBOUNCER, startPgBouncer } from "../../helpers/pgbouncer.ts";
import { SERVICE_ROLE } from "../../helpers/service-role.ts";
import { type Api, startApi, testConfig } from "../api/api.ts";
import { runScript } from "./script-process.ts";

let api: Api;
let web: { url: string; close(): Promise<void> };
let settings: Record<string, string>;

beforeAll(async () => {
  web = await serve((path) => (path.startsWith("/healthz") ? healthz : metricsz));
});
afterAll(() => web.close());
beforeEach(async () => {
  api = await startApi({ BASE_URL: web.url });
  settings = {
    DATABASE_URL: api.config.databaseUrl,
    ENCRYPTION_KEYS,
    BASE_URL: web.url,
    DATA_DIR: api.config.mail.mailboxDir.replace(/\/mailbox$/, ""),
    LOG_LEVEL: "fatal",
  };
  return () => api.stop();
});

type Handler = (request: Request, context: { params: Promise<object> }) => Promise<Response>;

/** Serves handlers of the web part. */
async function serve(handlerOf: (path: string) => unknown): Promise<typeof web> {
  const { origin, close } = await serveHttp(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const headers = new Headers(request.headers as Record<string, string>);
    const handler = handlerOf(url.pathname) as Handler;
    const answer = await handler(new Request(url, { headers }), { params: Promise.resolve({}) });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  return { url: origin, close };
}

async function examine(more: Record<string, string> = {}): Promise<Map<string, Result>> {
  const context = await openContext({ ...settings, ...more });
  try {
    return new Map((await runChecks(CHECKS, context)).map((result) => [result.name, result]));
  } finally {
    await context.close();
  }
}

/** The server of the tests lacks security fixes, and has fsync off. */
const OF_TEST_SERVER = new Set(["version", "server"]);

const lineIn = (results: Map<string, Result>, name: string) => lineOf(results.get(name) as Result);

async function withDispatcher<T>(work: (dispatcher: Dispatcher) => Promise<T>): Promise<T> {
  const config = testConfig(api.config.databaseUrl);
  const dispatcher = await startDispatcher(config, { log: pino({ level: "silent" }), version: "0.1.0" });
  try {
    return await work(dispatcher);
  } finally {
    await dispatcher.stop();
  }
}

describe("npm run doctor", () => {
  it("finds nothing to do in an installation that runs, and changes no row of it", async () => {
    // The dispatcher makes what is missing of today's partitions. None is missing, even on the day after.
    await api.sql`SELECT make_attempt_partitions((now() AT TIME ZONE 'utc')::date, 9)`;
    await withDispatcher(async () => {
      const rows = () => api.sql`
        SELECT relname, query_to_xml(format('SELECT count(*) FROM %I.%I', schemaname, relname), false, true, '')::text AS counted
        FROM pg_stat_user_tables ORDER BY relname`;
      const secrets = () => api.sql`SELECT name, md5(sealed) AS sealed FROM instance_secrets ORDER BY name`;
      await api.services.installation();
      const before = [await secrets(), await rows()];
      const results = await examine();
      const bad = [...results.values()].filter(({ status }) => status === "failure" || status === "warning");
      expect(bad.map(({ name }) => name).filter((name) => !OF_TEST_SERVER.has(name))).toEqual([]);
      expect(lineIn(results, "base URL")).toMatch(/with this database\.$/);
      expect(lineIn(results, "disk")).toMatch(/^skipped/);
      expect([await secrets(), await rows()]).toEqual(before);
      expect(before[1]?.length).toBeGreaterThan(20);
    });
  });

  it("makes no secret in a new database", async () => {
    const results = await examine({ BASE_URL: "http://127.0.0.1:47814" });
    expect(lineIn(results, "keys")).toMatch(/^ok .* nothing in the database is sealed yet/);
    expect(await api.sql`SELECT FROM instance_secrets`).toHaveLength(0);
  });

  it("names keys that do not open the database", async () => {
    await api.services.installation();
    const others = `k1:${Buffer.alloc(32, 9).toString("base64")}`;
    expect(lineIn(await examine({ ENCRYPTION_KEYS: others }), "keys")).toMatch(
      /^failure .*ENCRYPTION_KEYS does not open .*give the keys it was made with\.$/,
    );
  });

  it("names a right that the role lost, and skips what needs it", async () => {
    await api.sql`REVOKE UPDATE ON schedules FROM ${api.sql(SERVICE_ROLE)}`;
    const results = await examine();
    expect(lineIn(results, "role")).toMatch(/lacks UPDATE on schedules\. Run npm run migrate with DATABASE_OWNER_URL/);
    expect(lineIn(results, "dispatchers")).toMatch(/^skipped .*since "role" failed/);
  });

  it("names a right that the role has beyond what it needs", async () => {
    await api.sql`GRANT UPDATE ON audit_log TO ${api.sql(SERVICE_ROLE)}`;
    expect(lineIn(await examine(), "role")).toMatch(/^warning .*can change the audit log: run REVOKE/);
  });

  it("names a missing extension and a missing migration", async () => {
    await api.sql`DROP EXTENSION btree_gin CASCADE`;
    await api.sql`DELETE FROM drizzle.__drizzle_migrations WHERE created_at = (SELECT max(created_at) FROM drizzle.__drizzle_migrations)`;
    const results = await examine();
    expect(lineIn(results, "extensions")).toMatch(/^failure .*the database lacks btree_gin\. Run npm run migrate/);
    expect(lineIn(results, "schema")).toMatch(/^failure .*lacks the migration .*run "npm run migrate"/);
  });

  it("counts the days for which there are partitions", async () => {
    const ahead = async (days: number) => {
      const parts = await api.sql<{ name: string }[]>`
        SELECT c.relname AS name FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
        WHERE inhparent = 'attempts'::regclass AND c.relname > 'attempts_' || to_char(now() AT TIME ZONE 'utc' + ${days} * interval '1 day', 'YYYYMMDD')
          AND c.relname ~ '_[0-9]{8}$'`;
      for (const { name } of parts) await api.sql`DROP TABLE ${api.sql(name)}`;
      return lineIn(await examine(), "partitions");
    };
    expect(await ahead(2)).toMatch(/^warning .*2 days ahead/);
    expect(await ahead(0)).toMatch(/^failure .*0 days ahead/);
  });

  it("says how long rows have been due to be deleted, of every kind that retention deletes", async () => {
    const { accountId } = await api.account();
    await api.session(accountId, { ageDays: 7.5 });
    expect(lineIn(await examine(), "retention")).toMatch(/^warning .* 1 row is .*12 h \(sessions\)/);
    await api.create((await api.account()).live);
    await api.sql`UPDATE schedules SET status = 'cancelled', next_attempt_at = NULL, ended_at = now() - interval '400 days'`;
    expect(lineIn(await examine(), "retention")).toMatch(/^failure .* rows .* days \((schedules|payloads)\)/);
  });

  it("says that nothing is sent during a hold, and of a restored database", async () => {
    await leaveHeartbeat(api.sql, 600_000);
    expect(lineIn(await examine(), "incarnation")).toMatch(/^ok .*10 min old/);
    await api.sql`UPDATE dispatchers SET system_identifier = 1`;
    expect(lineIn(await examine(), "incarnation")).toMatch(/^warning .*may be a restored one/);
    await api.create((await api.account()).live);
    expect(lineIn(await examine(), "incarnation")).toMatch(/^failure .*something is pending.*npm run reconcile/);
    await api.sql`INSERT INTO holds (reason) VALUES ('operator')`;
    expect(lineIn(await examine(), "incarnation")).toMatch(/^failure .*Nothing is sent: an operator/);
  });

  it("measures how far the clocks are apart", async () => {
    const clock = await makeClockMovable(api.sql);
    await clock.step(3_600_000);
    expect(lineIn(await examine(), "clock")).toMatch(/^warning .*3600 s behind the database .*NTP/);
  });

  it("says how many connections are left, by the tightest limit", async () => {
    const [database] = await api.sql`SELECT current_database() AS name`;
    await api.sql`ALTER DATABASE ${api.sql(database?.name)} CONNECTION LIMIT 30`;
    expect(lineIn(await examine(), "connections")).toMatch(
      /^warning .* of 30 are used.*CONNECTION LIMIT of the database/,
    );
  });

  it("says when the service at BASE_URL has another database, and when nobody is there", async () => {
    await withDispatcher(async () => {
      const other = await startApi();
      try {
        await leaveHeartbeat(other.sql, 1_000);
        startServices(api.config);
        const elsewhere = await examine({ DATABASE_URL: other.config.databaseUrl });
        expect(lineIn(elsewhere, "base URL")).toMatch(/^failure .*another database/);
      } finally {
        await other.stop();
      }
    });
    expect(lineIn(await examine({ BASE_URL: "http://127.0.0.1:47814" }), "base URL")).toMatch(
      /^failure .*cannot be reached/,
    );
    const refused = await examine({ BASE_URL: "http://127.0.0.1:6000" });
    expect(lineIn(refused, "settings")).toMatch(/^failure .*BASE_URL: expected a port to which browsers connect/);
  });

  it("asks Resend for the domains of the key, and sends nothing", async () => {
    const asked: (string | null)[] = [];
    const resend = await serve(() => async (request: Request) => {
      asked.push(`${request.method} ${new URL(request.url).pathname} ${request.headers.get("authorization")}`);
      return Response.json({ data: [{ name: "example.com", status: "verified" }] });
    });
    const mail = { RESEND_API_KEY: "re_canary", RESEND_BASE_URL: resend.url, MAIL_FROM: "a@example.com" };
    try {
      expect(lineIn(await examine(mail), "mail")).toMatch(/^ok .*example\.com is verified/);
      expect(asked).toEqual(["GET /domains Bearer re_canary"]);
    } finally {
      await resend.close();
    }
  });

  it.skipIf(PGBOUNCER === undefined)(
    "names DATABASE_DIRECT_URL behind a pooler in transaction mode (skipped where PgBouncer is not installed)",
    async () => {
      const pooler = await startPgBouncer(api.config.databaseUrl);
      try {
        const results = await examine({ DATABASE_URL: pooler.url });
        expect(lineIn(results, "pooler")).toMatch(/^failure .*DATABASE_DIRECT_URL/);
        const direct = { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: api.config.databaseUrl };
        expect(lineIn(await examine(direct), "pooler")).toMatch(/^warning .*ALTER ROLE .* SET statement_timeout/);
      } finally {
        await pooler.stop();
      }
    },
  );

  it("names a setting of the server with which the service cannot work", async () => {
    const [database] = await api.sql`SELECT current_database() AS name`;
    await api.sql`ALTER DATABASE ${api.sql(database?.name)} SET session_replication_role = replica`;
    expect(lineIn(await examine(), "server")).toMatch(/^failure .*session_replication_role is "replica".*ALTER ROLE/);
  });

  it("says when two addresses lead to two databases", async () => {
    const other = await startApi();
    try {
      const line = lineIn(await examine({ DATABASE_DIRECT_URL: other.config.databaseUrl }), "database");
      expect(line).toMatch(/^failure .*DATABASE_URL leads to another database/);
    } finally {
      await other.stop();
      startServices(api.config);
    }
  });

  it("prints a line for each check, as JSON one object, exits with 1 for a failure and 2 for a wrong option, and shows no secret", async () => {
    const url = Object.assign(new URL(api.config.databaseUrl), { password: "canary%40password" }).href;
    const secrets = {
      DATABASE_URL: url,
      ENCRYPTION_KEYS: `canary:${Buffer.from("canary".repeat(6).slice(0, 32)).toString("base64")}`,
      AUTH_SECRET: "canary".repeat(6),
      METRICS_TOKEN: "canary-metrics",
      STRIPE_SECRET_KEY: "canary-stripe",
      STRIPE_WEBHOOK_SECRET: "canary-hook",
      STRIPE_PRICE_INDIE: "price",
      AUTH_GOOGLE_SECRET: "canary-google",
    };
    const plain = runScript("doctor", [], { ...settings, ...secrets, AUTH_GOOGLE_ID: "id" });
    const json = runScript("doctor", ["--json"], { ...settings, ...secrets });
    expect([await plain.exited, await json.exited]).toEqual([1, 1]);
    expect(plain.stdout).toHaveLength(CHECKS.length + 2);
    const { status, checks } = JSON.parse(json.stdout.join("\n"));
    expect([status, checks.map(({ name }: Result) => name)]).toEqual(["failure", CHECKS.map(({ name }) => name)]);
    expect(plain.stdout.join("\n")).toMatch(/failure +database .*refuses the login/);
    expect(json.stdout.join("\n")).toMatch(/AUTH_GOOGLE_SECRET: expected AUTH_GOOGLE_ID/);
    const all = [plain, json].flatMap(({ stdout, stderr }) => [...stdout, ...stderr]).join("\n");
    expect(all).not.toMatch(/canary|Y2FuYXJ5/);
    const wrong = runScript("doctor", ["--jsn"], settings);
    expect(await wrong.exited).toBe(2);
  });
});
