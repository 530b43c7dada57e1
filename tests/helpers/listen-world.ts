import { generateApiKey, hashApiKey } from "#domain/api-key.ts";
import { decodeId, newId } from "#domain/ids.ts";
import { startProxy } from "#scripts/lab/proxy.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { Stopwatch } from "../../sdk/src/index.ts";
import { buildCli } from "./cli-process.ts";
import { createDispatchHarness } from "./dispatch-harness.ts";
import { ENCRYPTION_KEYS } from "./encryption-keys.ts";
import { type ListenProcess, startListen } from "./listen-process.ts";
import { waitFor } from "./wait-for.ts";
import { startWebProcess, type WebProcess } from "./web-process.ts";

export const HOOK = "https://listen.invalid/hook";

export type ListenWorld = Awaited<ReturnType<typeof startListenWorld>>;
export type ListenAccount = Awaited<ReturnType<ListenWorld["account"]>>;

/** An installation of real processes on a database of its own, and what a developer has: accounts, local servers, `listen`. */
export async function startListenWorld({ webs: webCount, dispatchers }: { webs: number; dispatchers: number }) {
  await buildCli();
  const limits = { requestsPerMinute: 1_000_000, retryBackoffMs: 1_000 };
  const plans = JSON.stringify({ free: limits, indie: limits });
  const direct = await startReceiver({ tls: false });
  const harness = await createDispatchHarness({ DELIVERY_ALLOW: direct.origin, PLANS: plans });
  const { sql, config } = harness;
  const settings = { DATABASE_URL: config.databaseUrl, ENCRYPTION_KEYS, PLANS: plans };
  const webs: WebProcess[] = [];
  const closers: (() => Promise<unknown>)[] = [];
  const startWeb = async () => {
    const web = await startWebProcess(settings);
    webs.push(web);
    return web;
  };
  for (let nth = 0; nth < webCount; nth++) await startWeb();
  await harness.process();
  for (let nth = 1; nth < dispatchers; nth++) harness.spawn();

  return {
    ...harness,
    webs,
    /** A receiver that dispatchers reach themselves. */
    direct,
    startWeb,
    /** A new account with a test key. `retryAttempts` is how often an attempt that failed is repeated. */
    async account(retryAttempts = 9) {
      const account = await harness.account({ settings: { retry_attempts: retryAttempts, retry_backoff_ms: 1_000 } });
      const key = generateApiKey("test");
      const keyId = newId(Date.now());
      const row = { id: keyId, account_id: account.id, env: "test", name: "test", hash: hashApiKey(key) };
      await sql`INSERT INTO api_keys ${sql({ ...row, last4: key.slice(-4) })}`;
      const client = new Stopwatch(key, { baseUrl: webs[0]?.origin });
      return {
        ...account,
        key,
        keyId,
        client,
        secret: account.secrets.test,
        /** Starts `listen` at a web process, and waits until it is ready. */
        async listen(args: readonly string[], url = webs[0]?.origin ?? ""): Promise<ListenProcess> {
          const listen = startListen(args, { STOPWATCH_API_KEY: key, STOPWATCH_URL: url });
          closers.push(() => listen.kill());
          await listen.says(/^Ready/m);
          return listen;
        },
        /** Creates schedules that are due in a second, all at the same instant. */
        async deliver(count = 1, more: { path?: string; payload?: string; method?: "GET" | "POST" } = {}) {
          const { path = "/hook", ...input } = more;
          const targetUrl = new URL(path, HOOK).href;
          const entries = Array.from({ length: count }, () => ({ targetUrl, fireIn: "1s", ...input }));
          const { accepted } = await client.schedules.createMany(entries);
          return accepted.map(({ id }) => id);
        },
        /** Waits until schedules have ended, and returns each one's status. */
        async ended(ids: readonly string[], deadlineMs = 60_000): Promise<string[]> {
          const uuids = ids.map((id) => decodeId("sch", id) as string);
          const read = () => sql`SELECT id, status FROM schedules WHERE id = ANY(${uuids})`;
          const isOver = (status: string) => status === "succeeded" || status === "dead";
          const all = async () => (await read()).every(({ status }) => isOver(status));
          await waitFor(`${ids.length} schedules have ended`, all, deadlineMs);
          const byId = new Map((await read()).map(({ id, status }) => [id, status]));
          return uuids.map((id) => byId.get(id));
        },
        attemptsOf: (id: string) => harness.attempts(decodeId("sch", id) as string),
      };
    },
    /** A local server; closed with the world. */
    async local(options = { tls: false }): Promise<Receiver> {
      const receiver = await startReceiver(options);
      closers.push(() => receiver.close());
      return receiver;
    },
    /** A proxy in front of web processes. */
    async front(port: number) {
      const front = await startProxy(port);
      closers.push(() => front.close());
      return front;
    },
    async close() {
      await Promise.all(closers.map((close) => close()));
      await Promise.all(webs.map((web) => web.stop().catch(() => {})));
      await harness.close();
      await direct.close();
    },
  };
}

/** The schedule and attempt of each request that a local server got, such as `sch_…/1`. */
export const ledgerOf = (receiver: Pick<Receiver, "requests">): string[] =>
  receiver.requests.map(({ headers }) => `${headers["x-service-schedule-id"]}/${headers["x-service-attempt"]}`);
