import { promises as dns } from "node:dns";
import net from "node:net";
import { afterEach, expect, it, vi } from "vitest";
import { startReceiver } from "#scripts/lab/receiver.ts";
import { createDispatchHarness } from "../../helpers/dispatch-harness.ts";
import { startDnsServer } from "../../helpers/dns-server.ts";
import { inMs } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { startWatchedDispatcher } from "../../helpers/watched-dispatcher.ts";

afterEach(() => void vi.restoreAllMocks());

/** A dispatcher, an account whose failures are not repeated, and two targets at http://localhost. */
async function start(allow: string[] = []) {
  const receivers = [await startReceiver({ tls: false }), await startReceiver({ tls: false })] as const;
  const origins = receivers.map(({ origin }) => origin) as [string, string];
  const harness = await createDispatchHarness({ DELIVERY_ALLOW: [...origins, ...allow].join() });
  const watched = startWatchedDispatcher(harness, harness.databaseUrl);
  const dispatcher = await watched.started;
  const account = await harness.account({ settings: { retry_attempts: 0 } });
  const status = async (id: string) => (await harness.read(id)).status;
  return {
    receivers,
    origins,
    harness,
    dispatcher,
    account,
    watched,
    status,
    schedule: (url: string) => harness.schedule(account, url, inMs(300)),
    becomes: (id: string, expected: string) =>
      waitFor(`it is ${expected}`, async () => (await status(id)) === expected),
    async [Symbol.asyncDispose]() {
      await watched.stop();
      await harness.close();
      await Promise.all(receivers.map((receiver) => receiver.close()));
    },
  };
}

/** From now on connecting to these ports fails as it does in a machine without a network. Returns how to end that. */
function cutOff(ports: number[], code: string) {
  const connect = net.connect as (options: net.TcpNetConnectOpts) => net.Socket;
  const spy = vi.spyOn(net, "connect").mockImplementation(((options: net.TcpNetConnectOpts) => {
    if (!ports.includes(options.port)) return connect(options);
    return new net.Socket().destroy(Object.assign(new Error(code), { code }));
  }) as never);
  return () => spy.mockRestore();
}

it.each(["ENETUNREACH", "EPERM", "EMFILE"])(
  "deliveries wait while nothing can be reached (%s), can be cancelled, and go on by themselves without a retry",
  async (code) => {
    await using world = await start();
    const { origins, receivers, harness, dispatcher, watched, status } = world;
    const reconnect = cutOff(
      receivers.map(({ port }) => port),
      code,
    );
    const ids = [];
    for (const origin of [...origins, ...origins]) ids.push(await world.schedule(`${origin}/`));
    const cancelled = await world.schedule(`${origins[0]}/cancelled`);
    await waitFor("it says so", async () => (await dispatcher.ready()).status === "degraded");
    expect(await dispatcher.ready()).toMatchObject({ reason: expect.stringContaining(`(${code})`) });
    expect(await watched.metrics()).toMatch(/^stopwatch_own_fault 1$/m);
    // They have been due for longer than the pause between two tries.
    await waitFor("all are overdue", async () => {
      const [row] = await harness.sql`SELECT max(fire_at) < now() - interval '1 s' AS overdue FROM schedules`;
      return row?.overdue;
    });
    for (const id of ids) expect(await harness.read(id)).toMatchObject({ status: "scheduled", attempts: 0 });
    await harness.sql`
      UPDATE schedules SET status = 'cancelled', next_attempt_at = NULL, ended_at = now(), version = version + 1
      WHERE id = ${cancelled}`;
    reconnect();
    for (const id of ids) await world.becomes(id, "succeeded");
    for (const id of ids) expect(await harness.attempts(id)).toMatchObject([{ attempt: 1, outcome: "delivered" }]);
    expect(await status(cancelled)).toBe("cancelled");
    expect(receivers.flatMap(({ requests }) => requests).map(({ path }) => path)).not.toContain("/cancelled");
    expect(watched.messages()[0]).toContain(`(${code})`);
    if (code !== "EMFILE") {
      expect(watched.messages()[1]).toMatch(/is back: deliveries go on/);
      expect(await dispatcher.ready()).toEqual({ status: "ok" });
    }
  },
);

it("a target that cannot be reached while another one is has failed", async () => {
  await using world = await start();
  const { origins, receivers, harness, dispatcher } = world;
  cutOff([receivers[0].port], "ENETUNREACH");
  const id = await world.schedule(`${origins[0]}/`);
  await waitFor("it waits", async () => (await dispatcher.ready()).status === "degraded");
  await world.becomes(await world.schedule(`${origins[1]}/`), "succeeded");
  await world.becomes(id, "dead");
  expect(await harness.attempts(id)).toMatchObject([{ outcome: "unreachable", error_text: "connection: ENETUNREACH" }]);
  expect(await dispatcher.ready()).toEqual({ status: "ok" });
});

it("deliveries wait while the name servers refuse every question, and names are judged again when they answer", async () => {
  const names = await startDnsServer({ "b.example.com": ["10.0.0.1"] });
  let server = "127.0.0.1:9";
  const { resolve4, resolve6 } = dns.Resolver.prototype;
  // The first lookup of a resolver. Its name servers cannot be changed afterwards.
  const ask = (resolve: unknown) =>
    function (this: dns.Resolver, name: string) {
      this.setServers([server]);
      return (resolve as (name: string) => Promise<never>).call(this, name);
    };
  vi.spyOn(dns.Resolver.prototype, "resolve4").mockImplementation(ask(resolve4) as never);
  vi.spyOn(dns.Resolver.prototype, "resolve6").mockImplementation(((name: string) =>
    ask(resolve6).call(new dns.Resolver(), name)) as never);
  try {
    await using world = await start();
    const { harness, dispatcher, origins } = world;
    const ids = [await world.schedule("https://a.example.com/"), await world.schedule("https://b.example.com/")];
    await waitFor("it says so", async () => (await dispatcher.ready()).status === "degraded");
    expect(await dispatcher.ready()).toMatchObject({ reason: expect.stringContaining("(ECONNREFUSED)") });
    // What needs no name server is delivered meanwhile.
    await world.becomes(await world.schedule(`${origins[0]}/`), "succeeded");
    for (const id of ids) expect(await harness.read(id)).toMatchObject({ status: "scheduled", attempts: 0 });
    server = names.address;
    for (const id of ids) await world.becomes(id, "dead");
    const texts = await Promise.all(ids.map(async (id) => (await harness.attempts(id))[0]?.error_text));
    expect(texts).toEqual(["name resolution: ENOTFOUND", "blocked: the target's address is not allowed"]);
    expect(await dispatcher.ready()).toEqual({ status: "ok" });
  } finally {
    await names.close();
  }
});

it("deliveries wait while the system resolves none of the names that the operator allows", async () => {
  const lookup = vi.spyOn(dns, "lookup").mockRejectedValue(Object.assign(new Error("again"), { code: "EAI_AGAIN" }));
  await using world = await start();
  const { harness, dispatcher, origins } = world;
  vi.spyOn(dns.Resolver.prototype, "resolve4").mockRejectedValue(
    Object.assign(new Error("nobody answers"), { code: "ETIMEOUT" }),
  );
  const id = await world.schedule(`${origins[0]}/`);
  await waitFor("it says so", async () => (await dispatcher.ready()).status === "degraded");
  expect(await harness.read(id)).toMatchObject({ status: "scheduled", attempts: 0 });
  lookup.mockRestore();
  await world.becomes(id, "succeeded");
  expect(await dispatcher.ready()).toEqual({ status: "ok" });
  expect(await harness.attempts(id)).toMatchObject([{ attempt: 1, outcome: "delivered" }]);
});
