// Final: its verdict is about where secrets are stored and shown.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { processEnv } from "#config.ts";
import { generateApiKey } from "#domain/api-key.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { ENCRYPTION_KEYS } from "../../helpers/encryption-keys.ts";
import { type Heard, OK, startListener } from "../../helpers/listener.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { type Answer, type Api, startApi } from "../api/api.ts";

const written = vi.hoisted(() => ({ log: "" }));
vi.mock("#server/log.ts", async (original) => {
  const { createLog } = await original<typeof import("#server/log.ts")>();
  const write = (line: string) => {
    written.log += line;
  };
  return { createLog: () => createLog("trace", { write }) };
});

const canary = (what: string) => `canary-${what}-${randomBytes(12).toString("hex")}`;

/** Values that only their owner and their target may see. */
const CANARIES: Record<string, string> = {
  payload: canary("payload"),
  header: canary("header"),
  malformed: canary("malformed"),
  forgedKey: generateApiKey("live"),
  forgedSession: randomBytes(32).toString("base64url"),
};
/**
 * A value in the target's URL, which its owner and the database may read, and no log. It is short, since PostgreSQL
 * truncates the rows it quotes.
 */
const QUERY = `q${randomBytes(6).toString("hex")}`;

let api: Api;
let receiver: Receiver;
let dispatcher: ChildProcess;
let dispatcherLog = "";
const answers: string[] = [];

beforeAll(async () => {
  receiver = await startReceiver({ tls: false });
  api = await startApi({
    DELIVERY_ALLOW: receiver.origin,
    PLANS: JSON.stringify({ indie: { retryBackoffMs: 1_000 } }),
  });
  dispatcher = spawn(process.execPath, ["dispatcher/main.ts"], {
    env: {
      PATH: processEnv().PATH,
      NODE_ENV: "test",
      LOG_LEVEL: "trace",
      DISPATCHER_PORT: "0",
      DATABASE_URL: api.config.databaseUrl,
      DELIVERY_ALLOW: receiver.origin,
      PLANS: JSON.stringify({ indie: { retryBackoffMs: 1_000 } }),
      ENCRYPTION_KEYS,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [dispatcher.stdout, dispatcher.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      dispatcherLog += text;
    });
  }
  await leaveTraces();
});
afterAll(async () => {
  dispatcher.kill("SIGKILL");
  await api.stop();
  await receiver.close();
});

/** Sends the canaries in every place, with every good and bad result. */
async function leaveTraces() {
  const { accountId, live, test } = await api.account("indie");
  const session = await api.session(accountId);
  Object.assign(CANARIES, { liveKey: live, testKey: test, session: session.token });
  const secrets = (await api.call("GET", "/v1/signing-secrets", live)).body;
  Object.assign(CANARIES, { currentSecret: secrets.current, nextSecret: secrets.next });

  const ask = async (...call: Parameters<Api["call"]>): Promise<Answer> => {
    const answer = await api.call(...call);
    answers.push(answer.text, JSON.stringify([...answer.headers]));
    return answer;
  };
  const { payload = "", header = "", malformed = "", forgedKey = "", forgedSession = "" } = CANARIES;
  const schedule = (path: string, more: object = {}) => ({
    targetUrl: `${receiver.origin}/${path}?s=${QUERY}`,
    fireAt: new Date(Date.now() + 3_000).toISOString(),
    payload: JSON.stringify({ token: payload }),
    headers: { "Content-Type": "application/json", "X-Token": header },
    ...more,
  });

  receiver.respond(({ path, headers, body }, response, socket) => {
    if (path.startsWith("/drop")) return socket.destroy();
    const isRetry = headers["x-service-attempt"] !== "1";
    const status = path.startsWith("/gone") ? 410 : path.startsWith("/echo") && !isRetry ? 500 : 200;
    response.writeHead(status).end(`${body} ${JSON.stringify(headers)}`);
  });
  const paths = ["ok", "echo", "gone", "drop"];
  for (const path of paths)
    expect(await ask("POST", "/v1/schedules", live, schedule(path))).toMatchObject({ status: 201 });
  await ask("POST", "/v1/schedules", { cookie: session.cookie }, schedule("ok"));
  await ask("POST", "/v1/schedules/bulk", live, {
    schedules: [schedule("ok"), schedule("ok", { fireAt: payload }), schedule("ok", { method: payload })],
  });
  await Promise.all(
    [
      schedule("ok", { payload: { token: payload } }),
      schedule("ok", { headers: { "X-Token": `${header}\n` } }),
      schedule("ok", { headers: { Host: header, "X-Token": [header] } }),
      schedule("ok", { pay_load: payload, idempotencyKey: [payload] }),
      `{"payload": "${malformed}" ${malformed}`,
    ].map((body) => ask("POST", "/v1/schedules", live, body)),
  );
  const { fireAt: _, ...request } = schedule("ok");
  for (const cron of ["@yearly", "0 9 31 2 *", payload])
    await ask("PUT", "/v1/recurrences/daily", live, { ...request, cron });
  for (const path of ["/v1/recurrences", "/v1/recurrences/daily"]) await ask("GET", path, live);
  for (const path of ["/v1/schedules", "/v1/me", `/v1/schedules/${live}`, `/v1/${live}`, "/metricsz"]) {
    await ask("GET", path, forgedKey);
    await ask("GET", path, live);
    await ask("GET", path, { cookie: `sw_session=${forgedSession}` });
  }
  await ask("GET", `/v1/schedules?q=${payload}&x=${live}`, live);

  const { databaseUrl, keyRing } = api.config;
  const repeat = ({ sent }: Heard) => ({ ...OK, status: 500, body: `${sent.body} ${JSON.stringify(sent.headers)}` });
  const listener = await startListener({ databaseUrl, keyRing, accountId }, repeat);
  const listened = schedule("", { targetUrl: `https://listen.invalid/hook?s=${QUERY}` });
  expect(await ask("POST", "/v1/schedules", test, listened)).toMatchObject({ status: 201 });

  // Errors of the database that contain the refused row or the parameters of the statement.
  await api.sql`ALTER TABLE schedule_requests ADD CONSTRAINT refused CHECK (method <> 'PUT') NOT VALID`;
  expect(await ask("POST", "/v1/schedules", live, schedule("ok", { method: "PUT" }))).toMatchObject({ status: 500 });
  await api.sql`ALTER TABLE sessions RENAME TO elsewhere`;
  expect(await ask("GET", "/v1/me", { cookie: session.cookie })).toMatchObject({ status: 503 });
  await api.sql`ALTER TABLE elsewhere RENAME TO sessions`;

  await waitFor(
    "every way was gone to its end",
    async () => {
      const [row] = await api.sql`
        SELECT count(*) FILTER (WHERE outcome = 'delivered')::int AS delivered, count(*) FILTER (WHERE outcome = 'rejected')::int
          AS rejected, count(*) FILTER (WHERE via = 'listener')::int AS listened, count(*) FILTER (WHERE outcome = 'unreachable')::int AS dropped FROM attempts`;
      return row?.delivered >= 4 && row?.rejected >= 3 && row?.dropped >= 2 && row?.listened >= 1;
    },
    30_000,
  );
  await listener.close();
  expect(listener.heard[0]?.sent.body.toString()).toContain(payload);
  const { items: made } = (await api.call("GET", "/v1/schedules?limit=100", live)).body;
  const chosen = made.map(({ id }: { id: string }) => id);
  const operation = await ask("POST", "/v1/operations", live, { action: "replay", schedules: chosen });
  await ask("POST", "/v1/operations", live, {
    action: payload,
    filter: { q: payload, status: [payload], from: payload },
  });
  const isDone = async () => (await ask("GET", `/v1/operations/${operation.body.id}`, live)).body.status === "done";
  await waitFor("the operation is done", isDone, 30_000);
  const list = await ask("GET", "/v1/schedules?limit=100", live);
  for (const { id } of list.body.items) {
    await ask("GET", `/v1/schedules/${id}`, live);
    await ask("GET", `/v1/schedules/${id}/attempts`, live);
  }
  for (const path of [
    "/v1/logs",
    "/v1/overview",
    "/v1/usage",
    "/v1/me",
    "/v1/status/punctuality",
    "/v1/openapi.json",
  ]) {
    await ask("GET", path, live);
  }
  await ask("GET", "/v1/api-keys", { cookie: session.cookie });
  await ask("GET", "/v1/me/sessions", { cookie: session.cookie });
  dispatcher.kill("SIGTERM");
  await new Promise((resolve) => dispatcher.once("close", resolve));
}

/** The canaries found in `text`, literally or in one of the usual encodings. */
function found(text: string, canaries: Record<string, string> = CANARIES): string[] {
  return Object.entries(canaries)
    .filter(([, secret]) => {
      const bytes = Buffer.from(secret);
      const base64 = bytes.subarray(0, bytes.length - (bytes.length % 3)).toString("base64");
      return [secret, bytes.toString("hex"), base64, encodeURIComponent(secret)].some((form) => text.includes(form));
    })
    .map(([name]) => name);
}

describe("a payload, a custom header, an API key, a session and a signing secret", () => {
  it("reach their target, which shows that this test would find them", () => {
    const received = receiver.requests.map(({ body, headers }) => `${body}${JSON.stringify(headers)}`).join();
    expect(found(received)).toEqual(["payload", "header"]);
    expect(receiver.requests.every(({ path }) => path.endsWith(QUERY))).toBe(true);
  });

  it("are in no log line of any level, and neither is the query of a target", () => {
    expect(written.log).toMatch(/"msg":"request completed"/);
    expect(written.log).toMatch(/"msg":"request failed: 500"/);
    expect(dispatcherLog).toMatch(/"msg":"attempt"/);
    expect(found(written.log, { ...CANARIES, QUERY })).toEqual([]);
    expect(found(dispatcherLog, { ...CANARIES, QUERY })).toEqual([]);
  });

  it("are in no table", async () => {
    const tables = await api.sql`
      SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`;
    expect(tables.length).toBeGreaterThan(12);
    let stored = "";
    for (const { name } of tables) {
      const rows = await api.sql.unsafe(`SELECT t::text AS row FROM ${name} t`);
      const text = rows.map(({ row }) => row).join("\n");
      expect([name, found(text)]).toEqual([name, []]);
      stored += text;
    }
    expect(stored).toContain(QUERY);
  });

  it("are in no answer of the API", () => {
    expect(answers.length).toBeGreaterThan(60);
    expect(found(answers.join("\n"))).toEqual([]);
  });
});
