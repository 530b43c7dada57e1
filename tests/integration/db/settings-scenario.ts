import PQueue from "p-queue";
import pino from "pino";
import { startDispatcher } from "#dispatcher/dispatcher.ts";
import { untilReady } from "#dispatcher/ready.ts";
import type { Receiver } from "#scripts/lab/receiver.ts";
import { startServices } from "#server/services.ts";
import { startPgBouncer } from "../../helpers/pgbouncer.ts";
import { stopAudited } from "../../helpers/stop-audited.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { type Answer, type Api, FUTURE, type Method, startApi, TARGET, testConfig } from "../api/api.ts";
import { comparable } from "../api/compare-answers.ts";

type Compared = { asked: string } & ReturnType<typeof comparable>;

/** What the API answered, and what the receiver got, without what differs from run to run. */
export type Run = { answers: Compared[]; delivered: string[] };

/** A web process and what a dispatcher needs, on a database of their own, whose new sessions begin with `settings`. */
export async function startUnder(receiver: Receiver, settings: readonly string[], { pooled = false } = {}) {
  const api = await startApi({ DELIVERY_ALLOW: receiver.origin });
  await setOnDatabase(api, settings);
  const pooler = pooled ? await startPgBouncer(api.config.databaseUrl) : undefined;
  const direct = api.config.databaseUrl;
  const config = testConfig(pooler?.url ?? direct, {
    DATABASE_DIRECT_URL: direct,
    DELIVERY_ALLOW: receiver.origin,
  });
  const services = startServices(config);
  return {
    api,
    services,
    receiver,
    config,
    pooler,
    async stop() {
      await services.close();
      await pooler?.stop();
      await api.stop();
    },
  };
}

/** Sets what new sessions on the database of `api` begin with: "name = value" each. Leaves out what its server does not know. */
export async function setOnDatabase({ sql }: Api, settings: readonly string[]) {
  for (const setting of settings) {
    await sql.unsafe(`ALTER DATABASE ${await nameOf(sql)} SET ${setting}`).catch((error: { code?: string }) => {
      if (error.code !== "42704") throw error;
    });
  }
}

/** Ends what `setOnDatabase` has set. */
export async function resetOnDatabase({ sql }: Api) {
  const reset = `ALTER DATABASE ${await nameOf(sql)} RESET ALL`;
  await sql.begin("read write", (tx) => tx.unsafe(reset));
}

const nameOf = async (sql: Api["sql"]) =>
  (await sql`SELECT quote_ident(current_database()) AS name`)[0]?.name as string;

/** Asks for a cross-section of the API, `atOnceMax` calls at a time at most, and has schedules delivered. */
export async function runScenario({ api, services, receiver, config }: Started, { atOnceMax = 30 } = {}): Promise<Run> {
  await services.installation();
  const { live, accountId } = await api.account("indie");
  const owner = { cookie: (await api.session(accountId)).cookie };
  const ids = new Map<string, string>();
  const answers: Compared[] = [];
  const ask = async (method: Method, path: string, body?: unknown, credential: typeof owner | string = live) => {
    const answer = await api.call(method, path, credential, body);
    const asked = `${method} ${path.replace(/(sch|key)_[0-9a-z]{26}|after=.*/g, "…")}`;
    answers.push({ asked, ...comparable(withoutChance(answer), ids) });
    return answer.body;
  };
  const later = { targetUrl: TARGET, fireAt: FUTURE, payload: "Grüße \\ '\u0001", headers: { "X-A": "b" } };
  const { id } = await ask("POST", "/v1/schedules", { ...later, idempotencyKey: "k\\'é" });
  await ask("POST", "/v1/schedules", { ...later, idempotencyKey: "k\\'é" });
  await ask("POST", "/v1/schedules", { ...later, payload: "other", idempotencyKey: "k\\'é" });
  const repeated = {
    schedules: [0, 1, 2, 3].map((n) => ({
      ...later,
      fireAt: `2031-05-0${n + 1}T10:00:00.000Z`,
      ...(n % 2 && { idempotencyKey: `b${n}` }),
    })),
  };
  await ask("POST", "/v1/schedules/bulk", repeated);
  await ask("POST", "/v1/schedules/bulk", repeated);
  await ask("GET", `/v1/schedules/${id}`);
  const page = await ask("GET", "/v1/schedules?sort=fire_at&limit=2");
  await ask("GET", `/v1/schedules?sort=fire_at&limit=2&after=${page?.next_cursor}`);
  await ask("GET", "/v1/schedules?q=HOOK&from=2031-05-01T00:00:00.000Z&to=2031-06-01T00:00:00.000Z");
  await ask("PATCH", `/v1/schedules/${id}`, { fireAt: "2032-03-28T01:00:00.000Z" });
  await ask("PATCH", `/v1/schedules/${id}`, { earlyFire: true });
  await ask("POST", `/v1/schedules/${id}/clone`, { payload: "y", fireAt: FUTURE });
  await ask("DELETE", `/v1/schedules/${id}`);
  await ask("DELETE", `/v1/schedules/${id}`);
  await ask("POST", `/v1/schedules/${id}/replay`, { fireAt: FUTURE });
  const key = await ask("POST", "/v1/api-keys", { name: "k", env: "test" }, owner);
  await ask("POST", `/v1/api-keys/${key?.id}/rotate`, undefined, owner);
  await ask("GET", "/v1/me/sessions", undefined, owner);
  await ask("POST", "/v1/signing-secrets/rotate");
  const queue = new PQueue({ concurrency: atOnceMax });
  const create = () => api.call("POST", "/v1/schedules", live, later);
  const burst = await queue.addAll(Array.from({ length: 30 }, () => create));
  answers.push(...burst.map((answer) => ({ asked: "one of 30", ...comparable(answer, new Map()) })));
  const delivered = await deliver({ api, receiver, config } as Started, live, ask);
  for (const path of ["logs?q=hook", "overview?period=30d", "usage", "status/punctuality", "me", "signing-secrets"]) {
    await ask("GET", `/v1/${path}`);
  }
  return { answers, delivered };
}

type Started = Awaited<ReturnType<typeof startUnder>>;

type Ask = (method: Method, path: string, body?: unknown) => Promise<{ id: string; status?: string }>;

async function deliver({ api, receiver, config }: Started, live: string, ask: Ask): Promise<string[]> {
  const log = pino({ level: "silent" });
  receiver.requests.length = 0;
  receiver.respond(({ path }, response) => response.writeHead(path === "/fails" ? 410 : 200).end("said"));
  const session = await untilReady(config, log);
  const dispatcher = await startDispatcher(config, { log, version: "0.0.0", session });
  try {
    const made = [];
    for (const path of ["works", "fails"]) {
      const targetUrl = `${receiver.origin}/${path}`;
      made.push(await ask("POST", "/v1/schedules", { targetUrl, fireIn: "1s", payload: `é\\${path}` }));
    }
    for (const [n, status] of ["succeeded", "dead"].entries()) {
      const path = `/v1/schedules/${made[n]?.id}`;
      await waitFor(`it is ${status}`, async () => (await api.call("GET", path, live)).body.status === status);
      await ask("GET", path);
      await ask("GET", `${path}/attempts`);
    }
    await waitFor("it is ready", async () => (await dispatcher.ready()).status === "ok");
  } finally {
    await stopAudited(dispatcher);
  }
  return receiver.requests.map(({ method, path, body }) => `${method} ${path} ${body}`).sort();
}

/** Without what is random or depends on lateness and the hour, which the comparison of answers does not know. */
function withoutChance(answer: Answer): Answer {
  if (answer.body === undefined) return answer;
  const text = answer.text
    .replace(/"sw_(live|test)_\w+"|"ses_\w+"/g, '"…"')
    .replace(/"(last4|histogram|on_time_rate)":("\w+"|\[.*?\]|[\d.]+)/g, '"$1":"…"');
  const body = JSON.parse(text);
  // Its buckets, whichever of them the hour is in.
  body.series?.sort((a: { count: number }, b: { count: number }) => a.count - b.count);
  return { ...answer, body };
}
