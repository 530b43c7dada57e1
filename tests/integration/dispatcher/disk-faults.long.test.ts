// Guards: dispatcher/recording/**, db/client*.ts, server/health/**
// Final: its verdict is about what was kept, and how often it was sent.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createApiKey } from "#db/queries/accounts/api-keys.ts";
import { describeFault } from "#domain/database-fault.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { getServices, startServices } from "#server/services.ts";
import { type FaultHarness, startFaultHarness } from "../../helpers/fault-harness.ts";
import { type OwnServer, startOwnServer } from "../../helpers/own-server.ts";
import { canMakeSmallDisk, startSmallDiskServer } from "../../helpers/small-disk-server.ts";
import { inMs, pause } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { askReadiness, call, testConfig } from "../api/api.ts";

let receiver: Receiver;
let faults: FaultHarness;

beforeAll(async () => {
  receiver = await startReceiver({ tls: false });
});
afterAll(() => receiver.close());
beforeEach(() => {
  receiver.requests.length = 0;
});

describe("a database server that cannot write its log to the disk", () => {
  let server: OwnServer;
  beforeEach(async () => {
    server = await startOwnServer();
  });
  afterEach(async () => {
    await faults.close();
    await server.remove();
  });

  it("panics and recovers: nothing acknowledged is lost, and nothing is sent twice", async () => {
    faults = await startFaultHarness(server.url, receiver);
    const acknowledged = await faults.creatingDuring(async () => {
      for (let n = 0; n < 3; n++) {
        const walWriter = await waitFor("it is up", () =>
          faults.sql`SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'`.then(
            ([row]) => row,
            () => undefined,
          ),
        );
        // In a panic a process of the server aborts itself, and the server ends all others.
        process.kill(walWriter.pid, "SIGABRT");
        await pause(2_000);
      }
    });
    await faults.expectNothingLost(acknowledged);
  });

  const canInject = process.getuid?.() === 0 && spawnSync("strace", ["-V"]).status === 0;
  it.skipIf(!canInject)("loses and repeats nothing when each 30th write fails (by strace, as root)", async () => {
    const pid = await server.pid();
    const injecting = ["-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO:when=30"];
    const strace = spawn("strace", ["-f", "-p", String(pid), "-o", "/dev/null", ...injecting], { stdio: "ignore" });
    await waitFor("it is attached", async () =>
      /TracerPid:\t[1-9]/.test(await readFile(`/proc/${pid}/status`, "utf8")),
    );
    faults = await startFaultHarness(server.url, receiver);
    const panics = async () =>
      (await readFile(`${server.folder}/postgres/server.log`, "utf8")).split("PANIC").length - 1;
    const acknowledged = await faults.creatingDuring(async () => {
      await waitFor("it has panicked twice", async () => (await panics()) >= 2, 20_000);
      const exited = once(strace, "exit");
      strace.kill();
      await exited;
      await pause(1_000);
    });
    await faults.expectNothingLost(acknowledged);
  });
});

describe.skipIf(!canMakeSmallDisk)("a full disk (as root on Linux)", () => {
  let small: Awaited<ReturnType<typeof startSmallDiskServer>>;
  let services: ReturnType<typeof startServices>;
  let key: string;

  beforeEach(async () => {
    small = await startSmallDiskServer("160m");
    faults = await startFaultHarness(small.url, receiver);
    services = startServices(testConfig(small.url, { DELIVERY_ALLOW: receiver.origin }));
    const { id } = await faults.harness.account();
    key = await services.database.run(5_000, async ({ db }) => {
      return (await createApiKey(db, { accountId: id, env: "live", name: "test" }, services.config.plans.indie)).key;
    });
  });
  afterEach(async () => {
    await services.close();
    await faults.close();
    await small.remove();
  });

  /** Creates a schedule through the API. Returns the status. */
  const create = async (payload: string, dueInMs: number) => {
    const body = { targetUrl: `${receiver.origin}/`, payload, fireAt: inMs(dueInMs).toISOString() };
    const since = performance.now();
    const { status } = await call("POST", "/v1/schedules", key, body);
    expect(performance.now() - since).toBeLessThan(5_000);
    return status;
  };
  const statuses = async (n: number, payload: string, dueInMs: number) => {
    const all: number[] = [];
    for (let made = 0; made < n; made++) all.push(await create(payload, dueInMs));
    return all;
  };
  const acknowledged = async () => (await faults.sql`SELECT id FROM schedules`).map((row) => row.id as string);

  it("makes a create 503 within 5 s, due schedules are sent once, and everything works again with free space", async () => {
    expect(new Set(await statuses(20, "x", 2_000))).toEqual(new Set([201]));
    await small.fill();
    expect(new Set(await statuses(20, "x".repeat(200_000), 2_000))).toEqual(new Set([503]));
    await pause(3_000);
    await small.free();
    expect(new Set(await statuses(20, "x".repeat(200_000), 1_000))).toEqual(new Set([201]));
    expect(await acknowledged()).toHaveLength(40);
    await faults.expectNothingLost(await acknowledged());
  });

  it("is named by the web process and the dispatcher in /readyz and metrics, and in every answer of a create", async () => {
    const full = describeFault("disk_full");
    const { dispatcher } = faults;
    expect(await askReadiness()).toMatchObject({ status: 200 });
    expect(await dispatcher.ready()).toEqual({ status: "ok" });
    await small.fill();
    const notReady = await waitFor("it is not ready", async () => {
      const answer = await askReadiness();
      return answer.status === 503 && answer;
    });
    expect(notReady.body).toEqual({
      status: "unavailable",
      checks: { database: "unavailable", queue: "ok" },
      reason: full,
    });
    await waitFor("nor is the dispatcher", async () => (await dispatcher.ready()).status === "unavailable");
    expect(await dispatcher.ready()).toEqual({ status: "unavailable", reason: full });
    const counted = getServices().databaseErrors.disk_full;
    const body = { targetUrl: `${receiver.origin}/`, payload: "x".repeat(200_000), fireAt: inMs(60_000).toISOString() };
    const { body: refused } = await call("POST", "/v1/schedules", key, body);
    expect(refused.error).toMatchObject({ code: "UNAVAILABLE", message: expect.stringContaining(full) });
    expect(getServices().databaseErrors.disk_full).toBe(counted + 1);
    expect(await faults.metrics()).toMatch(/^stopwatch_database_errors_total\{kind="disk_full"\} [1-9]/m);
    expect(faults.messages()).toContain(full);
    await small.free();
    await waitFor("it is ready again", async () => (await askReadiness()).status === 200);
    await waitFor("so is the dispatcher", async () => (await dispatcher.ready()).status === "ok");
  });

  it("that stops the server loses nothing that was acknowledged", async () => {
    expect(new Set(await statuses(20, "x", 3_000))).toEqual(new Set([201]));
    await small.fill();
    await faults.sql`SELECT pg_switch_wal()`.catch(() => {});
    await waitFor("it is gone", async () => (await create("x", 3_000)) === 503);
    await pause(3_000);
    expect(await create("x", 1_000)).toBe(503);
    await small.free();
    await small.start();
    await waitFor("it is back", async () => (await create("x", 1_000)) === 201);
    const ids = await acknowledged();
    expect(ids.length).toBeGreaterThanOrEqual(21);
    await faults.expectNothingLost(ids);
  });
});
