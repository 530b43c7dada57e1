// Guards: db/client*.ts, db/driver.ts, server/services*.ts
import { afterAll, beforeAll, expect, it } from "vitest";
import { type DatabaseProxy, startProxy } from "#scripts/lab/proxy.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { startWebProcess, type WebProcess } from "#tests/helpers/web-process.ts";
import { type Api, FUTURE, startApi, TARGET } from "./api.ts";

/** As docs/vercel.md has it, but shorter. */
const IDLE_SECONDS = 1;
/** Less than the four seconds that a call may wait for a dead connection. */
const ANSWER_MS_MAX = 2_500;
const WITHOUT_GUARD = { NODE_OPTIONS: `--import ${new URL("../../helpers/without-guard.ts", import.meta.url).href}` };

let api: Api;
let proxy: DatabaseProxy;
let web: WebProcess;

beforeAll(async () => {
  api = await startApi();
  const url = new URL(api.config.databaseUrl);
  proxy = await startProxy(Number(url.port));
  url.port = String(proxy.port);
  web = await startWebProcess({
    DATABASE_URL: url.href,
    ENCRYPTION_KEYS,
    WEB_DATABASE_IDLE_SECONDS: String(IDLE_SECONDS),
    CLIENT_ADDRESS_HEADER: "x-vercel-forwarded-for",
    BASE_URL: "https://stopwatch.example.com",
    ...WITHOUT_GUARD,
  });
});
afterAll(async () => {
  await web?.stop();
  await proxy?.close();
  await api?.stop();
});

it.each(["black hole", "reset"] as const)(
  "the first call after a function was suspended is answered at once, though its connections are lost (%s)",
  async (loss) => {
    const { live } = await api.account();
    const headers = { authorization: `Bearer ${live}`, "content-type": "application/json" };
    const create = () =>
      fetch(`${web.origin}/v1/schedules`, {
        method: "POST",
        headers,
        body: JSON.stringify({ targetUrl: TARGET, fireAt: FUTURE }),
      });
    const list = () => fetch(`${web.origin}/v1/schedules`, { headers });
    expect((await create()).status).toBe(201);
    expect((await list()).status).toBe(200);

    await web.signal("SIGSTOP");
    const suspendedAtMs = Date.now();
    proxy.set(loss);
    await waitFor("the connections were idle too long", () => Date.now() - suspendedAtMs > IDLE_SECONDS * 1_000 + 100);
    // Those that were lost stay so.
    proxy.set("pass");
    await web.signal("SIGCONT");

    const resumedAtMs = Date.now();
    const [created, listed] = await Promise.all([create(), list()]);
    expect([created.status, listed.status]).toEqual([201, 200]);
    expect(Date.now() - resumedAtMs).toBeLessThan(ANSWER_MS_MAX);
  },
);
