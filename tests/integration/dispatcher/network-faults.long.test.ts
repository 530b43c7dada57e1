// Guards: dispatcher/admission/**, dispatcher/connections/**, dispatcher/sending/**

import { promises as dns } from "node:dns";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { CONNECT_DEADLINE_MS } from "#domain/timing.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { startDnsServer } from "../../helpers/dns-server.ts";
import { expectOnTime } from "../../helpers/on-time.ts";
import { type RawBehaviour, type RawServer, startRawServer } from "../../helpers/raw-server.ts";
import { inMs } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const answer = (code: number, body: string) => `HTTP/1.1 ${code} X\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const onTime: RawBehaviour = { onRequest: (socket) => socket.write(answer(200, "ok")) };

/** A target, a dispatcher that may deliver to it, and an account. */
async function against(behaviour: RawBehaviour, settings: Record<string, string> = {}) {
  const server = await startRawServer(behaviour);
  const url = `http://127.0.0.1:${server.port}/`;
  const harness = await createDispatchHarness({ DELIVERY_ALLOW: url.slice(0, -1), ...settings });
  return {
    server,
    url,
    harness,
    account: await harness.account({ settings: { retry_attempts: 1 } }),
    ended: (id: string) =>
      waitFor("it ends", async () => {
        const row = await harness.read(id);
        return ["succeeded", "dead"].includes(row.status) && row;
      }),
    async [Symbol.asyncDispose]() {
      await harness.close();
      await server.close();
    },
  };
}

describe("a host name that", () => {
  const CASES = {
    "nxdomain.example.com": { answer: { code: 3 }, status: "dead", text: "name resolution: ENOTFOUND" },
    "servfail.example.com": { answer: { code: 2 }, status: "dead", text: "name resolution: ESERVFAIL" },
    "empty.example.com": { answer: [], status: "dead", text: "name resolution: ENODATA" },
    "silent.example.com": {
      answer: "silence",
      status: "dead",
      text: /^name resolution: (ETIMEOUT|timed out after 10 s)$/,
    },
    "loopback.example.com": { answer: ["127.0.0.1"], status: "dead", text: /^blocked: / },
    "mixed.example.com": { answer: ["93.184.216.34", "10.0.0.5"], status: "dead", text: /^blocked: / },
    "metadata.example.com": {
      answer: [...Array.from({ length: 50 }, (_, n) => `93.184.216.${n + 1}`), "169.254.169.254"],
      status: "dead",
      text: /^blocked: /,
    },
  } as const;
  let names: Awaited<ReturnType<typeof startDnsServer>>;
  let canary: RawServer;
  let healthy: RawServer;
  let harness: DispatchHarness;
  const ids = new Map<string, string>();

  beforeAll(async () => {
    names = await startDnsServer(
      Object.fromEntries(Object.entries(CASES).map(([name, one]) => [name, one.answer as never])),
    );
    const resolve4 = dns.Resolver.prototype.resolve4 as (name: string) => Promise<never>;
    // The first lookup of a resolver. Its name servers cannot be changed afterwards.
    vi.spyOn(dns.Resolver.prototype, "resolve4").mockImplementation(function (this: dns.Resolver, name: string) {
      this.setServers([names.address]);
      return resolve4.call(this, name);
    } as never);
    canary = await startRawServer(onTime);
    healthy = await startRawServer(onTime);
    harness = await createDispatchHarness({ DELIVERY_ALLOW: `http://127.0.0.1:${healthy.port}` });
    await harness.dispatcher();
    const account = await harness.account({ settings: { retry_attempts: 0 } });
    const fireAt = inMs(1_000);
    for (const name of Object.keys(CASES)) ids.set(name, await harness.schedule(account, `https://${name}/`, fireAt));
  });
  afterAll(async () => {
    await harness.close();
    vi.restoreAllMocks();
    await Promise.all([healthy.close(), canary.close(), names.close()]);
  });

  it("gets no answer from its name server delays no delivery to other names", async () => {
    const account = await harness.account();
    const all = [];
    for (let n = 0; n < 20; n++) {
      all.push(await harness.schedule(account, `http://127.0.0.1:${healthy.port}/`, inMs(1_000 + 100 * n)));
    }
    for (const id of all) {
      await waitFor("it is delivered", async () => (await harness.read(id)).status === "succeeded");
      expectOnTime(Number((await harness.read(id)).offset_ms), CONNECT_DEADLINE_MS / 2);
    }
  });

  it.each(Object.entries(CASES))(
    "resolves like %s costs an attempt with the reason and without an address",
    async (name, one) => {
      const id = ids.get(name) as string;
      await waitFor("it ends", async () => (await harness.read(id)).status === one.status, 20_000);
      const [attempt, ...others] = await harness.attempts(id);
      expect(others).toEqual([]);
      expect(attempt).toMatchObject({ status_code: null, latency_ms: 0 });
      expect(attempt?.error_text).toMatch(one.text);
      expect(attempt?.error_text).not.toMatch(/\d+\.\d+\.\d+\.\d+/);
      expect(names.asked).toContain(name);
      expect(canary.opened()).toBe(0);
    },
  );
});

describe("a kept-alive connection", () => {
  it("that the target closes between requests costs nothing: the next request uses another one, as its first attempt", async () => {
    await using world = await against({
      onRequest: (socket) => socket.end(answer(200, "ok")),
    });
    const { harness, account, server, url } = world;
    await harness.dispatcher();
    for (let n = 0; n < 5; n++) {
      const id = await harness.schedule(account, url, inMs(300));
      expect(await world.ended(id)).toMatchObject({ status: "succeeded", attempts: 1 });
    }
    expect(server.requests).toHaveLength(5);
  });

  it("that is reset when the next request arrives is a failed attempt, which a new connection repeats", async () => {
    const seen = new Map<number, number>();
    await using broken = await against({
      onRequest: (socket) => {
        const n = (seen.get(socket.remotePort as number) ?? 0) + 1;
        seen.set(socket.remotePort as number, n);
        if (n === 1) socket.write(answer(200, "ok"));
        else socket.resetAndDestroy();
      },
    });
    const { harness, account, server, url } = broken;
    await harness.dispatcher();
    const first = await harness.schedule(account, url, inMs(800));
    expect(await broken.ended(first)).toMatchObject({ status: "succeeded", attempts: 1 });
    const second = await harness.schedule(account, url, inMs(600));
    expect(await broken.ended(second)).toMatchObject({ status: "succeeded", attempts: 2 });
    expect(await harness.attempts(second)).toMatchObject([
      { outcome: "unreachable", status_code: null },
      { outcome: "delivered", status_code: 200 },
    ]);
    const sent = server.requests.filter(({ head }) => head.includes("X-Service-Attempt: 1"));
    expect(sent).toHaveLength(2);
    expect(sent[0]?.connection).toBe(sent[1]?.connection);
    expect(server.requests).toHaveLength(3);
    expect(server.requests[2]?.connection).not.toBe(sent[1]?.connection);
  });

  it.each([
    ["that ends with its answer without having said so", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", ""],
    ["that breaks off after its answer with bytes that nobody asked for", answer(200, "ok"), "surplus"],
    ["that the target says will be idle for no time", `HTTP/1.1 204 X\r\nKeep-Alive: timeout=1\r\n\r\n`, ""],
  ])("%s costs the next requests nothing", async (_title, said, later) => {
    await using world = await against(
      {
        onRequest: (socket) => {
          socket.write(said);
          if (later) setImmediate(() => socket.write(later));
        },
      },
      { DELIVERY_CONNECTIONS_PER_ORIGIN: "1" },
    );
    const { harness, account, server, url } = world;
    await harness.dispatcher();
    const ids = [];
    for (let n = 0; n < 10; n++) ids.push(await harness.schedule(account, url, inMs(800 + 5 * n)));
    for (const id of ids) expect(await world.ended(id)).toMatchObject({ status: "succeeded", attempts: 1 });
    expect(server.requests).toHaveLength(10);
  });

  it("carries as many requests as its target says by Keep-Alive: max, and no more", async () => {
    const seen = new Map<number, number>();
    await using world = await against({
      onRequest: (socket) => {
        const n = (seen.get(socket.remotePort as number) ?? 0) + 1;
        seen.set(socket.remotePort as number, n);
        if (n > 3) socket.resetAndDestroy();
        else socket.write("HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5, max=2\r\nContent-Length: 2\r\n\r\nok");
      },
    });
    const { harness, account, server, url } = world;
    await harness.dispatcher();
    for (let n = 1; n <= 9; n++) {
      const id = await harness.schedule(account, url, inMs(0));
      expect(await world.ended(id)).toMatchObject({ status: "succeeded", attempts: 1 });
    }
    expect(Math.max(...seen.values())).toBeLessThanOrEqual(3);
    expect(seen.size).toBeLessThan(9);
    expect(server.requests).toHaveLength(9);
  });

  it("with more than one answer does not use the surplus as the answer to another request", async () => {
    await using world = await against(
      {
        onRequest: (socket, n) =>
          n === 1 ? socket.write(answer(200, "ok") + answer(299, "smuggled")) : socket.write(answer(201, "ok")),
      },
      { DELIVERY_CONNECTIONS_PER_ORIGIN: "1" },
    );
    const { harness, account, server, url } = world;
    await harness.dispatcher();
    const ids = [];
    for (let n = 0; n < 5; n++) ids.push(await harness.schedule(account, url, inMs(800)));
    for (const id of ids) expect(await world.ended(id)).toMatchObject({ status: "succeeded", attempts: 1 });
    const rows = await harness.sql`SELECT status_code FROM attempts ORDER BY attempted_at`;
    expect(rows.map((row) => row.status_code).sort()).toEqual([200, 201, 201, 201, 201]);
    expect(server.requests).toHaveLength(5);
  });
});

describe("proxy environment variables", () => {
  it("are ignored: the request goes to the target itself, and the proxy gets no connection", async () => {
    const proxy = await startRawServer(onTime);
    await using world = await against(onTime);
    const { harness, account, server, url } = world;
    const address = `http://127.0.0.1:${proxy.port}`;
    const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
    // It answers that no name exists, whatever the machine's own name servers do.
    const nameServer = await startDnsServer({});
    const child = await harness.process({
      env: {
        NODE_USE_ENV_PROXY: "1",
        LOOPBACK_NAME_SERVER: nameServer.address,
        ...Object.fromEntries(names.map((name) => [name, address])),
      },
      preload: `import ${JSON.stringify(new URL("../../helpers/loopback-names.ts", import.meta.url).href)};`,
    });
    const exited = once(child, "exit");
    try {
      const id = await harness.schedule(account, url, inMs(500));
      const elsewhere = await harness.schedule(account, "https://nobody.example.com/", inMs(500));
      await waitFor("it is delivered", async () => (await harness.read(id)).status === "succeeded", 30_000);
      expect(server.requests).toHaveLength(1);
      await waitFor("the other fails by itself", async () => (await harness.read(elsewhere)).attempts >= 1, 30_000);
      expect(proxy.opened()).toBe(0);
    } finally {
      child.kill("SIGTERM");
      await exited;
      await Promise.all([proxy.close(), nameServer.close()]);
    }
  });
});
