// Needs: pgbouncer

import pino from "pino";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InstallationError } from "#db/installation-error.ts";
import { ALL_SETTINGS } from "#dispatcher/databases.ts";
import { startDispatcher } from "#dispatcher/dispatcher.ts";
import { untilReady } from "#dispatcher/ready.ts";
import { CLAIM_AHEAD_MAX_MS } from "#domain/timing.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { startServices } from "#server/services.ts";
import { ENCRYPTION_KEYS } from "../../helpers/encryption-keys.ts";
import { PGBOUNCER, POOL_SIZE, type Pooler, startPgBouncer } from "../../helpers/pgbouncer.ts";
import { stopAudited } from "../../helpers/stop-audited.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { runScript } from "../scripts/script-process.ts";
import { type Api, FUTURE, type Method, persist, startApi, TARGET, testConfig } from "./api.ts";

const IGNORES_SETTINGS = { ignore_startup_parameters: Object.keys(ALL_SETTINGS).join() };

describe.skipIf(PGBOUNCER === undefined)(
  "behind PgBouncer in transaction mode (skipped where it is not installed),",
  () => {
    let api: Api;
    let pooler: Pooler;
    let receiver: Receiver;
    let settings: Record<string, string>;

    beforeAll(async () => {
      receiver = await startReceiver({ tls: false });
      api = await startApi();
      pooler = await startPgBouncer(api.config.databaseUrl);
      settings = { DATABASE_DIRECT_URL: api.config.databaseUrl, DELIVERY_ALLOW: receiver.origin };
      startServices(testConfig(pooler.url, settings));
    });
    afterAll(async () => {
      await pooler.stop();
      await api.stop();
      await receiver.close();
    });

    it("every endpoint answers as it does without", async () => {
      const { accountId, live } = await api.account("indie");
      const session = await api.session(accountId);
      const ask = async (
        expected: number,
        method: Method,
        path: string,
        body?: unknown,
        credential: string | { cookie: string } = live,
      ) => {
        const answer = await api.call(method, path, credential, body);
        expect([method, path, answer.status, answer.text]).toEqual([method, path, expected, answer.text]);
        return answer.body;
      };
      const schedule = { targetUrl: TARGET, fireAt: FUTURE, payload: "x".repeat(10_000), headers: { "X-A": "b" } };
      const { id } = await ask(201, "POST", "/v1/schedules", { ...schedule, idempotencyKey: "k" });
      await ask(200, "POST", "/v1/schedules", { ...schedule, idempotencyKey: "k" });
      await ask(200, "POST", "/v1/schedules/bulk", { schedules: Array(50).fill(schedule) });
      await ask(200, "GET", `/v1/schedules/${id}`);
      await ask(200, "GET", "/v1/schedules?q=hook&status=scheduled,failed&sort=fire_at&limit=5&offset=5");
      await ask(200, "GET", `/v1/schedules/${id}/attempts`);
      await ask(200, "PATCH", `/v1/schedules/${id}`, { earlyFire: true });
      await ask(201, "POST", `/v1/schedules/${id}/replay`, { fireAt: FUTURE });
      await ask(201, "POST", `/v1/schedules/${id}/clone`, { payload: "y", fireAt: FUTURE });
      await ask(200, "DELETE", `/v1/schedules/${id}`);
      for (const path of [
        "logs?outcome=failed&q=hook",
        "overview?period=30d",
        "usage",
        "status/punctuality",
        "me",
        "signing-secrets",
      ]) {
        await ask(200, "GET", `/v1/${path}`);
      }
      await ask(200, "POST", "/v1/signing-secrets/rotate");
      const owner = { cookie: session.cookie };
      const key = await ask(201, "POST", "/v1/api-keys", { name: "k", env: "test" }, owner);
      const rotated = await ask(201, "POST", `/v1/api-keys/${key.id}/rotate`, undefined, owner);
      await ask(204, "POST", `/v1/api-keys/${rotated.id}/revoke`, undefined, owner);
      await ask(200, "GET", "/v1/api-keys", undefined, owner);
      await ask(200, "PATCH", "/v1/me", { name: "N" }, owner);
      await ask(200, "GET", "/v1/me/sessions", undefined, owner);
      await ask(200, "PATCH", "/v1/me/relay-settings", { cpsLimit: 5 }, owner);
      await ask(200, "GET", "/v1/me/relay-settings", undefined, owner);
      await ask(503, "GET", "/readyz");
      await ask(204, "DELETE", "/v1/me", undefined, owner);
    });

    it("two hundred concurrent calls share the pooler's few connections, and leave no session state in them", async () => {
      const callers = await Promise.all(Array.from({ length: 4 }, () => api.account("indie")));
      const calls = Array.from({ length: 200 }, (_, n) => {
        const key = callers[n % 4]?.live as string;
        return persist(() =>
          n % 2
            ? api.call("POST", "/v1/schedules", key, { targetUrl: TARGET, fireAt: FUTURE })
            : api.call("GET", "/v1/schedules", key),
        );
      });
      const statuses = (await Promise.all(calls)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([200, 201]));
      for (const state of await stateOfEachBackend()) {
        expect(state).toEqual({ prepared: 0, settings: null, listens: 0, locks: 0 });
      }
    });

    it("what was created through it is delivered by a dispatcher on the direct address, and what was cancelled is not", async () => {
      const { live } = await api.account("indie");
      const config = testConfig(pooler.url, settings);
      const dispatcher = await startDispatcher(config, { log: pino({ level: "silent" }), version: "0.0.0" });
      type Made = { id: string; path: string; fireAtMs: number };
      const create = async (fireIn: string): Promise<Made> => {
        const path = `/${crypto.randomUUID()}`;
        const answer = await api.call("POST", "/v1/schedules", live, { targetUrl: receiver.origin + path, fireIn });
        expect(answer.status, answer.text).toBe(201);
        return { id: answer.body.id, path, fireAtMs: Date.parse(answer.body.fire_at) };
      };
      const cancelled: Made[] = [];
      const delivered: Made[] = [];
      const cancel = async (made: Made) => {
        const { status } = await api.call("DELETE", `/v1/schedules/${made.id}`, live);
        if (status === 200) return cancelled.push(made);
        expect(status).toBe(409);
        expect(Date.now()).toBeGreaterThanOrEqual(made.fireAtMs - CLAIM_AHEAD_MAX_MS);
        delivered.push(made);
      };
      try {
        // A busy machine may cancel some too late, when they are claimed: these are delivered.
        while (cancelled.length < 20) {
          const wanted = await Promise.all(Array.from({ length: 20 }, () => create("1.5s")));
          delivered.push(...(await Promise.all(Array.from({ length: 20 }, () => create("1.6s")))));
          await Promise.all(wanted.map(cancel));
        }
        const statusOf = async ({ id }: Made) => (await api.call("GET", `/v1/schedules/${id}`, live)).body.status;
        await waitFor("all are delivered", async () =>
          (await Promise.all(delivered.map(statusOf))).every((status) => status === "succeeded"),
        );
        expect(new Set(await Promise.all(cancelled.map(statusOf)))).toEqual(new Set(["cancelled"]));
        expect(receiver.requests.map(({ path }) => path).toSorted()).toEqual(
          delivered.map(({ path }) => path).toSorted(),
        );
        await waitFor("it is ready", async () => (await api.call("GET", "/readyz")).status === 200);
      } finally {
        await stopAudited(dispatcher);
      }
    });

    it("a web process and a dispatcher without another address stop at their start, and name the missing one", async () => {
      for (const made of [pooler, await startPgBouncer(api.config.databaseUrl, IGNORES_SETTINGS)]) {
        const config = testConfig(made.url);
        const services = startServices(config);
        for (const start of [services.installation, () => untilReady(config, pino({ level: "silent" }))]) {
          const failure = await start().catch((error: unknown) => error as Error);
          expect(failure).toBeInstanceOf(InstallationError);
          expect((failure as Error).message).toContain("DATABASE_DIRECT_URL");
        }
        await services.close();
        if (made !== pooler) await made.stop();
      }
      startServices(testConfig(pooler.url, settings));
    });

    it("a parameter in the pooled address that the pooler refuses is reported with its text, not taken for an outage", async () => {
      const services = startServices(testConfig(`${pooler.url}?search_path=public`, settings));
      const failure = await services.installation().catch((error: unknown) => error as Error);
      expect(failure).toBeInstanceOf(InstallationError);
      expect((failure as Error).message).toContain("unsupported startup parameter: search_path");
      await services.close();
      startServices(testConfig(pooler.url, settings));
    });

    it("the web process survives a kill and restart of the pooler", async () => {
      const { live } = await api.account("indie");
      const create = () => api.call("POST", "/v1/schedules", live, { targetUrl: TARGET, fireAt: FUTURE });
      expect(await create()).toMatchObject({ status: 201 });
      await pooler.kill();
      const meanwhile = await Promise.all(Array.from({ length: 10 }, create));
      expect(meanwhile.map(({ status, body }) => `${status} ${body.error.code}`)).toEqual(
        Array(10).fill("503 UNAVAILABLE"),
      );
      await pooler.start();
      await waitFor("the API is back", async () => (await create()).status === 201, 10_000);
      const after = await Promise.all(Array.from({ length: 50 }, create));
      expect(after.map(({ status }) => status)).toEqual(Array(50).fill(201));
    });

    it("the operator's commands work with both addresses set", async () => {
      const env = {
        DATABASE_URL: pooler.url,
        DATABASE_DIRECT_URL: api.config.databaseUrl,
        ENCRYPTION_KEYS,
      };
      const migrated = runScript("migrate", [], { ...env, DATABASE_OWNER_URL: api.database.url });
      expect([await migrated.exited, migrated.stderr]).toEqual([0, []]);
      const made = runScript("account", ["create", "--email", "pooled@example.com", "--key", "live"], env);
      expect(await made.exited).toBe(0);
      const { key } = JSON.parse(made.stdout.join(""));
      expect(await api.call("GET", "/v1/me", key)).toMatchObject({ status: 200 });
    });

    /** The session state in each of the pooler's connections to the server, queried through the pooler. */
    async function stateOfEachBackend() {
      const clients = Array.from({ length: POOL_SIZE }, () =>
        postgres(pooler.url, { max: 1, prepare: false, fetch_types: false, onnotice: () => {} }),
      );
      // An open transaction holds a connection, so that every client gets another one.
      const { promise: allOpen, resolve: open } = Promise.withResolvers<void>();
      let held = 0;
      const states = await Promise.all(
        clients.map((sql) =>
          sql.begin(async (tx) => {
            const [row] = await tx`
            SELECT pg_backend_pid() AS pid,
              (SELECT count(*)::int FROM pg_prepared_statements WHERE name <> '') AS prepared,
              (SELECT string_agg(name, ' ') FROM pg_settings WHERE source = 'session' AND name NOT IN ('application_name', 'client_encoding', 'DateStyle', 'TimeZone')) AS settings,
              (SELECT count(*)::int FROM pg_listening_channels()) AS listens,
              (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks`;
            held++;
            if (held === POOL_SIZE) open();
            await allOpen;
            return row as { pid: number; prepared: number; settings: string | null; listens: number; locks: number };
          }),
        ),
      );
      await Promise.all(clients.map((sql) => sql.end()));
      expect(new Set(states.map(({ pid }) => pid)).size).toBe(POOL_SIZE);
      return states.map(({ pid: _, ...state }) => state);
    }
  },
);
