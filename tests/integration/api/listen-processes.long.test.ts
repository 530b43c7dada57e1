// Guards: contract/inputs/listen-input.ts, server/listen/**, app/v1/listen/**, db/queries/listen/**, db/functions/listen*.sql, db/listen.ts, server/edge/end-connections.ts, domain/listen*.ts, domain/server-sent-events.ts
import { type IncomingMessage, request } from "node:http";
import { Readable } from "node:stream";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { decodeId } from "#domain/ids.ts";
import { startProxy } from "#scripts/lab/proxy.ts";
import { ENCRYPTION_KEYS } from "../../helpers/encryption-keys.ts";
import { EventReader, writeExchange } from "../../helpers/listen.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { startWebProcess, type WebProcess } from "../../helpers/web-process.ts";
import { type Api, FUTURE, startApi, type TestCaller } from "./api.ts";

let api: Api;
let settings: Record<string, string>;
let webs: WebProcess[];
let caller: TestCaller;
const answers: IncomingMessage[] = [];

beforeAll(async () => {
  api = await startApi();
  settings = { DATABASE_URL: api.config.databaseUrl, ENCRYPTION_KEYS };
  webs = [await startWebProcess(settings), await startWebProcess(settings)];
});
afterAll(async () => {
  await Promise.all(webs?.map((web) => web.stop()) ?? []);
  await api?.stop();
});
beforeEach(async () => {
  caller = await api.account();
});
afterEach(() => {
  for (const answer of answers.splice(0)) answer.destroy();
});

const [FIRST, SECOND] = [0, 1];
const portOf = (nth: number) => webs[nth]?.port ?? 0;

function get(port: number, query = ""): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${caller.test}`, "accept-encoding": "gzip, br" };
    const options = { host: "127.0.0.1", port, path: `/v1/listen${query}`, headers, agent: false };
    request(options, (answer) => {
      answers.push(answer.on("error", () => {}));
      resolve(answer);
    })
      .on("error", reject)
      .end();
  });
}

async function open(port = portOf(FIRST), query = "") {
  const answer = await get(port, query);
  const reader = new EventReader(Readable.toWeb(answer) as never);
  const { listener } = await reader.expect("ready");
  return { answer, reader, listener: listener as string };
}

async function write(body = Buffer.from("{}")) {
  const schedule = await api.create(caller.test, { targetUrl: "https://listen.invalid/hooks/a", fireAt: FUTURE });
  const uuid = decodeId("sch", schedule) ?? "";
  return writeExchange(api.sql, api.config.keyRing, { accountId: caller.accountId, schedule: uuid, body });
}

const answerAt = (nth: number, id: string, body: object) =>
  fetch(`${webs[nth]?.origin}/v1/listen/${id}/answer`, {
    method: "POST",
    headers: { authorization: `Bearer ${caller.test}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

describe("a stream of two web processes", () => {
  it("is sent as it is written: uncompressed, in chunks, on a connection that is not used again", async () => {
    const { answer, reader, listener } = await open();
    expect(answer.headers).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
      connection: "close",
      "transfer-encoding": "chunked",
      "x-content-type-options": "nosniff",
    });
    for (const name of ["content-encoding", "content-length", "set-cookie"])
      expect(answer.headers).not.toHaveProperty(name);
    const exchange = await write();
    await reader.expect("delivery");
    const [ready, delivery, rest] = reader.raw.split("\n\n");
    expect(ready).toMatch(
      new RegExp(`^event: ready\ndata: {"listener":"${listener}","scope":"reserved","ends_at":"[^"]{24}"}$`),
    );
    const deadline = new Date(exchange.deadlineMs).toISOString();
    expect(delivery).toBe(
      `event: delivery\nid: ${exchange.publicId}\ndata: {"id":"${exchange.publicId}","schedule_id":"${exchange.scheduleId}",` +
        `"attempt":1,"deadline":"${deadline}","method":"POST","path":"/hooks/a","headers":[],"body":"e30="}`,
    );
    expect(rest).toBe("");
  });

  // Where a notification is lost, the stream finds the delivery at its next poll, a quarter of a second after the last one.
  it("carries a delivery when it is notified of it, most of nine within half of what lies between two polls, and its answer is taken by either process", async () => {
    const { reader, listener } = await open();
    const tookMs: number[] = [];
    for (const nth of Array.from({ length: 9 }, (_, n) => (n % 2 === 0 ? FIRST : SECOND))) {
      const { publicId } = await write();
      const writtenAtMs = performance.now();
      expect((await reader.expect("delivery")).id).toBe(publicId);
      tookMs.push(performance.now() - writtenAtMs);
      expect((await answerAt(nth, publicId, { listener, status: 200, latency_ms: 1 })).status).toBe(204);
    }
    expect(tookMs.toSorted((a, b) => a - b)[4]).toBeLessThan(125);
  });

  it("is resumed at the other process with what has no answer, and the former one says that it was replaced", async () => {
    const former = await open();
    const [answered, left] = [await write(), await write()];
    await former.reader.expect("delivery");
    await former.reader.expect("delivery");
    await answerAt(SECOND, answered.publicId, { listener: former.listener, status: 200, latency_ms: 1 });
    const next = await open(portOf(SECOND), `?listener=${former.listener}`);
    expect(next.listener).toBe(former.listener);
    expect((await next.reader.expect("delivery")).id).toBe(left.publicId);
    const { publicId } = await write();
    expect((await next.reader.expect("delivery")).id).toBe(publicId);
    expect(await former.reader.expect("goodbye")).toEqual({ reason: "replaced", retry_ms: 15_000 });
    expect(await former.reader.next()).toBeNull();
  });

  it("knows that its client went away, which then has five seconds to come back", async () => {
    const { answer, listener } = await open();
    const leaseLeftMs = async () => {
      const [row] = await api.sql`
        SELECT extract(epoch FROM lease_until - clock_timestamp())::float8 * 1000 AS ms FROM listeners
        WHERE id = ${decodeId("lsn", listener)}`;
      return row?.ms as number;
    };
    expect(await leaseLeftMs()).toBeGreaterThan(15_000);
    answer.destroy();
    await waitFor("the lease is shortened", async () => (await leaseLeftMs()) < 5_001, 3_000);
    const again = await open(portOf(SECOND), `?listener=${listener}`);
    expect(again.listener).toBe(listener);
    expect(await leaseLeftMs()).toBeGreaterThan(15_000);
  });

  it("shows each ten seconds that it is alive, and ends within ten seconds of the revocation of its key", async () => {
    const { reader } = await open();
    const session = await api.session(caller.accountId);
    const { items } = (await api.call("GET", "/v1/api-keys", session)).body;
    const key = items.find(({ env }: { env: string }) => env === "test").id;
    const goodbye = reader.expect("goodbye");
    await waitFor("a comment", () => reader.comments.length > 0, 12_000);
    const revokedAtMs = performance.now();
    await api.call("POST", `/v1/api-keys/${key}/revoke`, session);
    expect(await goodbye).toEqual({ reason: "revoked", retry_ms: 15_000 });
    expect(performance.now() - revokedAtMs).toBeLessThan(10_000);
    const again = await get(portOf(FIRST));
    expect(again.statusCode).toBe(401);
  });

  it("loses no delivery to a proxy that goes silent: a new connection gets what the old one swallowed", async () => {
    const proxy = await startProxy(portOf(FIRST));
    try {
      const silent = await open(proxy.port);
      proxy.set("black hole");
      const { id, publicId } = await write();
      await waitFor("the delivery is handed over", async () => {
        const [row] = await api.sql`SELECT state FROM listen_exchanges WHERE id = ${id}`;
        return row?.state === "handed";
      });
      const again = await open(portOf(SECOND), `?listener=${silent.listener}`);
      expect((await again.reader.expect("delivery")).id).toBe(publicId);
      const answered = await answerAt(FIRST, publicId, { listener: again.listener, status: 200, latency_ms: 1 });
      expect(answered.status).toBe(204);
    } finally {
      await proxy.close();
    }
  });

  it("lets its process stop at once, whether its reader reads, is behind, or has gone silent", async () => {
    const web = await startWebProcess(settings);
    const proxy = await startProxy(web.port);
    try {
      const reading = await open(web.port, "?path=/other/");
      const behind = await get(web.port);
      behind.pause();
      await open(proxy.port, "?path=/silent/");
      proxy.set("black hole");
      for (let n = 0; n < 8; n++) await write(Buffer.alloc(256 * 1024, "x"));
      await waitFor("the reader is behind", async () => {
        const [row] =
          await api.sql`SELECT count(*)::int AS n FROM listen_exchanges WHERE state = 'handed' AND account_id = ${caller.accountId}`;
        return row?.n > 0;
      });
      const startedAtMs = performance.now();
      const stopped = web.stop();
      // Its goodbye does not wait for the others, which hold up the end of the process until they are cut.
      const first = await Promise.race([reading.reader.expect("goodbye"), stopped]);
      expect(first).toEqual({ reason: "restart", retry_ms: 1_000 });
      await stopped;
      expect(performance.now() - startedAtMs).toBeLessThan(3_000);
    } finally {
      await proxy.close();
    }
  });
});
