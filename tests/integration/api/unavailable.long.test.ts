// Guards: db/client*.ts, server/http/**, server/routes/**, server/health/**, domain/database-fault.ts
import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { InstallationError } from "#db/installation-error.ts";
import { assertKeyRingOpens } from "#db/queries/fleet/instance-secrets.ts";
import { assertSchemaFits } from "#db/queries/fleet/schema-version.ts";
import { generateApiKey } from "#domain/api-key.ts";
import { startServices } from "#server/services.ts";
import { countRunTime } from "../../helpers/run-time.ts";
import { SERVICE_ROLE } from "../../helpers/service-role.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { type Api, askReadiness, call, FUTURE, startApi, TARGET, testConfig } from "./api.ts";

const key = generateApiKey("live");
const valid = { targetUrl: TARGET, fireAt: FUTURE };
let end: (() => Promise<unknown>) | undefined;

afterEach(async () => {
  await end?.();
  end = undefined;
});

async function peer(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const services = startServices(testConfig(`postgres://u:p@127.0.0.1:${(server.address() as AddressInfo).port}/d`));
  end = async () => {
    await services.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return services.config.databaseUrl;
}

const PEERS: [string, () => Promise<unknown>][] = [
  ["accepts and closes", () => peer((socket) => socket.destroy())],
  ["accepts and never answers", () => peer(() => {})],
  [
    "is not there",
    async () => {
      const url = await peer(() => {});
      await end?.();
      const services = startServices(testConfig(url));
      end = () => services.close();
    },
  ],
];

describe("while the database", () => {
  it.each(PEERS)("%s, the API answers 503 within 5 s, and tells a writing caller what to do", async (_, start) => {
    await start();
    const ranMs = countRunTime();
    const answers = await Promise.all([
      call("POST", "/v1/schedules", key, valid),
      call("DELETE", "/v1/schedules/sch_01h00000000000000000000000", key),
      call("GET", "/v1/schedules", key),
      askReadiness(),
    ]);
    expect(ranMs()).toBeLessThan(5_000);
    expect(answers.map((answer) => answer.status)).toEqual([503, 503, 503, 503]);
    const [post, remove, get, ready] = answers;
    for (const answer of [post, remove, get]) {
      expect(answer?.body.error.code).toBe("UNAVAILABLE");
      expect(answer?.headers.get("retry-after")).toMatch(/^\d+$/);
      expect(answer?.headers.get("x-request-id")).toMatch(/^req_/);
    }
    expect(post?.body.error.message).toMatch(/may have been stored.*same idempotencyKey/);
    expect(remove?.body.error.message).toMatch(/may have been stored.*same request again/);
    expect(get?.body.error.message).not.toMatch(/stored/);
    expect(ready?.body).toEqual({
      status: "unavailable",
      checks: { database: "unavailable", queue: "unavailable" },
      reason: expect.stringMatching(/^The database (cannot be reached right now|did not answer in time)\.$/),
    });
    expect(await call("GET", "/healthz")).toMatchObject({ status: 200 });
    expect(await call("GET", "/v1/nope")).toMatchObject({ status: 404 });
  });
});

describe("after a fault of the database", () => {
  let api: Api;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.stop());

  it("a write behind a lock is 503 within 5 s, and the next one succeeds", async () => {
    startServices(api.config);
    const caller = await api.account();
    const writeBehindLock = () =>
      api.sql.begin(async (tx) => {
        await tx`SELECT 1 FROM accounts WHERE id = ${caller.accountId} FOR UPDATE`;
        const sinceMs = performance.now();
        const countedMs = countRunTime();
        const answer = await call("POST", "/v1/schedules", caller.live, valid);
        const ranMs = countedMs();
        expect(ranMs).toBeLessThan(5_000);
        expect(answer).toMatchObject({ status: 503, body: { error: { code: "UNAVAILABLE" } } });
        return { message: answer.body.error.message, pausedMs: performance.now() - sinceMs - ranMs };
      });
    // PostgreSQL gives up after 3 s, the API after 4 s. After a pause of its process the API may be first, and says so.
    let blocked = await writeBehindLock();
    while (blocked.pausedMs >= 900) blocked = await writeBehindLock();
    expect(blocked.message).toMatch(/^The database is busy with other work on the same rows\./);
    expect(await call("POST", "/v1/schedules", caller.live, valid)).toMatchObject({ status: 201 });
  });

  it("a write of one schedule that the server refuses says that it stored nothing; one of several may have stored some", async () => {
    startServices(api.config);
    const caller = await api.account();
    const { body } = await call("POST", "/v1/schedules", caller.live, valid);
    const one = `/v1/schedules/${body.id}`;
    const refusedWrites = async () => [
      await call("POST", "/v1/schedules", caller.live, valid),
      await call("PATCH", one, caller.live, { fireIn: "2h" }),
      await call("POST", `${one}/fire`, caller.live),
      await call("DELETE", one, caller.live),
    ];
    await api.sql`REVOKE INSERT, UPDATE ON schedules FROM ${api.sql(SERVICE_ROLE)}`;
    try {
      for (const { status, body } of await refusedWrites()) {
        expect(status).toBe(503);
        expect(body.error.message).toMatch(
          /^The database does not permit this work .* This call stored nothing\. .*idempotencyKey/,
        );
      }
      const bulk = await call("POST", "/v1/schedules/bulk", caller.live, { schedules: [valid] });
      expect(bulk).toMatchObject({ status: 503 });
      expect(bulk.body.error.message).toMatch(/may have been stored/);
    } finally {
      await api.sql`GRANT INSERT, UPDATE ON schedules TO ${api.sql(SERVICE_ROLE)}`;
    }
    expect(await call("GET", "/v1/schedules", caller.live)).toMatchObject({ body: { total: 1 } });
    expect(await call("GET", one, caller.live)).toMatchObject({ body: { status: "scheduled" } });
  });

  it("the API recovers by itself when broken connections are replaced", async () => {
    const caller = await api.account();
    expect(await call("GET", "/v1/schedules", caller.live)).toMatchObject({ status: 200 });
    await api.sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'stopwatch web%'
      AND datname = current_database()`;
    await waitFor("the API is back", async () => (await call("GET", "/v1/schedules", caller.live)).status === 200);
  });

  it("another key ring and a schema that is too old are refused with what to do", async () => {
    const other = testConfig(api.config.databaseUrl, {
      ENCRYPTION_KEYS: `k2:${Buffer.alloc(32, 9).toString("base64")}`,
    });
    await api.services.database.run(4_000, async ({ sql }) => {
      await assertKeyRingOpens(sql, api.config.keyRing);
      await assertKeyRingOpens(sql, api.config.keyRing);
      await expect(assertKeyRingOpens(sql, other.keyRing)).rejects.toThrow(InstallationError);
      await expect(assertKeyRingOpens(sql, other.keyRing)).rejects.toThrow(/ENCRYPTION_KEYS/);

      await assertSchemaFits(sql);
      await api.sql`INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('newer', 99999999999999)`;
      await assertSchemaFits(sql);
      await api.sql`DELETE FROM drizzle.__drizzle_migrations`;
      await expect(assertSchemaFits(sql)).rejects.toThrow(/npm run migrate/);
      await api.sql`DROP SCHEMA drizzle CASCADE`;
      await expect(assertSchemaFits(sql)).rejects.toThrow(InstallationError);
    });
  });
});
