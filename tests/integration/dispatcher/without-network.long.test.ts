// Guards: dispatcher/admission/**, dispatcher/connections/**

import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { processEnv } from "#config.ts";
import { type DatabaseProxy, startProxy } from "#scripts/lab/proxy.ts";
import { COMPILE_CACHE } from "../../helpers/compile-cache.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { ENCRYPTION_KEYS } from "../../helpers/encryption-keys.ts";
import { inMs } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";

/** Whether a process can be given a network of its own, which has nothing in it, not even loopback. */
const canIsolate = spawnSync("unshare", ["-rn", "ip", "link", "set", "lo", "up"]).status === 0;
const PORT = 18_080;
const ORIGIN = `http://127.0.0.1:${PORT}`;
/** A target in the network of the dispatcher. */
const RECEIVER = `data:text/javascript,${encodeURIComponent(`
  import { createServer } from "node:http";
  createServer((request, response) => response.end("ok")).listen(${PORT}, "0.0.0.0").unref();`)}`;

let harness: DispatchHarness;
let folder: string;
let toDatabase: DatabaseProxy;
let child: ChildProcess | undefined;
let log = "";

beforeAll(async () => {
  harness = await createDispatchHarness({ DELIVERY_ALLOW: ORIGIN });
  folder = await mkdtemp(join(tmpdir(), "stopwatch-socket-"));
  // Sockets of the file system lead out of the network.
  toDatabase = await startProxy(Number(new URL(harness.databaseUrl).port), join(folder, ".s.PGSQL.5432"));
});
afterAll(async () => {
  if (child && child.exitCode === null) {
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }
  await toDatabase?.close();
  await harness.close();
  await rm(folder, { recursive: true });
});

it.skipIf(!canIsolate)(
  "a dispatcher in a machine without a network sends nothing, uses up no retry, says so, and goes on when the network is there",
  async () => {
    const { username, password, pathname } = new URL(harness.databaseUrl);
    const args = ["-rn", process.execPath, "--import", RECEIVER, "dispatcher/main.ts"];
    child = spawn("unshare", args, {
      env: {
        PATH: processEnv().PATH,
        NODE_ENV: "test",
        ...COMPILE_CACHE,
        ENCRYPTION_KEYS,
        DELIVERY_ALLOW: ORIGIN,
        DATABASE_URL: `postgres://${username}:${password}@${pathname}?host=${encodeURIComponent(folder)}`,
        HOST: "0.0.0.0",
        DISPATCHER_PORT: "0",
        LOG_LEVEL: "warn",
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    child.stdout?.on("data", (chunk) => {
      log += chunk;
    });
    const account = await harness.account({ settings: { retry_attempts: 0 } });
    const near = await harness.schedule(account, `${ORIGIN}/`, inMs(500));
    const far = await harness.schedule(account, "https://93.184.216.34/", inMs(500));
    const named = await harness.schedule(account, "https://target.example.com/", inMs(500));
    await waitFor("the log says so", () => /"fault":"IPv4 network"/.test(log) && /"fault":"name servers"/.test(log));
    expect(log).toMatch(/This machine cannot reach its IPv4 network \(ENETUNREACH\)/);
    expect(log).toMatch(/The name servers of this machine do not answer \(ECONNREFUSED\)/);
    for (const id of [near, far, named])
      expect(await harness.read(id)).toMatchObject({ status: "scheduled", attempts: 0 });

    const into = ["-t", String(child.pid), "-U", "-n", "--preserve-credentials"];
    execFileSync("nsenter", [...into, "ip", "link", "set", "lo", "up"]);
    await waitFor("it is delivered", async () => (await harness.read(near)).status === "succeeded");
    expect(await harness.attempts(near)).toMatchObject([{ attempt: 1, outcome: "delivered" }]);
    // Loopback is no network.
    for (const id of [far, named]) expect(await harness.read(id)).toMatchObject({ status: "scheduled", attempts: 0 });
    expect(child.exitCode).toBeNull();
  },
);
