// Guards: cli/src/listen/**, cli/src/verbs/listen.ts, contract/inputs/listen-input.ts, server/listen/**, app/v1/listen/**, dispatcher/listening/**, dispatcher/connections/listener-connection.ts, dispatcher/connections/opener.ts, dispatcher/connections/routes.ts, dispatcher/openers.ts, db/queries/listen/**, db/functions/listen*.sql, server/edge/end-connections.ts, domain/listen*.ts, domain/server-sent-events.ts
// Final: its verdict is about what was delivered, and how often.
import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeId, encodeId } from "#domain/ids.ts";
import { startProxy } from "#scripts/lab/proxy.ts";
import type { ReceivedRequest } from "#scripts/lab/receiver.ts";
import { runCli } from "#tests/helpers/cli-process.ts";
import { HOOK, type ListenWorld, ledgerOf, startListenWorld } from "#tests/helpers/listen-world.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";

let world: ListenWorld;
beforeAll(async () => {
  world = await startListenWorld({ webs: 2, dispatchers: 2 });
}, 400_000);
afterAll(() => world?.close(), 60_000);

const isOnce = (ledger: readonly string[]) => expect(ledger).toEqual([...new Set(ledger)]);

describe.concurrent("listen, between web processes, dispatchers and a local server", () => {
  it.each([0, 1, 1_024, 65_536, 262_144])(
    "gives the local server what a socket would, with %i bytes: headers in their order and case, body, both signatures",
    async (size) => {
      const account = await world.account();
      const local = await world.local();
      await account.listen(["--to", local.origin, "--keep-host"]);
      const payload = size === 0 ? null : "é".repeat(size >> 1) + "x".repeat(size & 1);
      const headers: [string, string][] = [
        ["X-Zebra", "1"],
        ["content-TYPE", "text/x"],
        ["x-a", ""],
      ];
      const at = new Date(Date.now() + 5_000);
      const schedule = (url: string) =>
        world.schedule(account, url, at, { env: "test", method: "PUT", payload, headers });
      const listened = await schedule(`${HOOK}?b=c`);
      const id = encodeId("sch", await schedule(`${world.direct.origin}/hook?b=c`));
      const onSocket = () => world.direct.requests.find(({ headers }) => headers["x-service-schedule-id"] === id);
      const expected = await waitFor("one came on a socket", onSocket);
      const got = await waitFor("one came through listen", () => local.requests[0]);
      expect([got.method, got.path, got.body.length]).toEqual(["PUT", "/hook?b=c", size]);
      expect(got.body.equals(expected.body)).toBe(true);
      expect(fixedHeaders(got)).toEqual(fixedHeaders(expected));
      expect(got.headers.host).toBe("listen.invalid");
      expectBothSignatures(got, account.secret, listened);
    },
  );

  it("passes on what the local server does: 2xx, redirects, 410, Retry-After, 5xx, a hang, a reset and a refusal", async () => {
    const account = await world.account(0);
    const local = await world.local();
    local.respond((request, response, socket) => {
      const [, status] = request.path.split("/");
      if (status === "reset") socket.resetAndDestroy();
      else if (status !== "hang")
        response.writeHead(Number(status), { "Retry-After": "2", Location: "/200" }).end("words");
    });
    const unused = await world.local();
    await unused.close();
    await account.listen(["--to", local.origin]);
    await account.listen(["--to", unused.origin, "--path", "/refused"]);
    const expected: Record<string, object> = {
      "/200": { status_code: 200, error_text: "" },
      "/302": { status_code: 302, error_text: "words" },
      "/410": { status_code: 410, error_text: "words" },
      "/500": { status_code: 500, error_text: "words" },
      "/reset": { status_code: null, error_text: "unreachable: the local server did not answer (ECONNRESET)" },
      "/refused": { status_code: null, error_text: "unreachable: the local server did not answer (ECONNREFUSED)" },
      "/hang": { status_code: null, error_text: "no answer within 30 s" },
    };
    const ids: Record<string, string> = {};
    for (const path of Object.keys(expected)) ids[path] = (await account.deliver(1, { path }))[0] as string;
    await account.ended(Object.values(ids));
    for (const [path, attempt] of Object.entries(expected)) {
      expect([path, ...(await account.attemptsOf(ids[path] as string))]).toMatchObject([
        path,
        { ...attempt, via: "listener" },
      ]);
    }
    expect(local.requests).toHaveLength(6);
  });

  it("waits as long as a 429 of the local server asks", async () => {
    const account = await world.account(1);
    const local = await world.local();
    local.respond((_, response) => {
      const isFirst = local.requests.length === 1;
      response.writeHead(isFirst ? 429 : 200, { "Retry-After": "4" }).end();
    });
    await account.listen(["--to", local.origin]);
    const [id = ""] = await account.deliver();
    expect(await account.ended([id])).toEqual(["succeeded"]);
    const [first, second] = local.requests as [ReceivedRequest, ReceivedRequest];
    expect(second.arrivedAtMs - first.arrivedAtMs).toBeGreaterThan(3_900);
  });

  it("shares 300 deliveries that are due at nearly one instant between listeners at two web processes, and gives a path to its own", async () => {
    const account = await world.account();
    const locals = [await world.local(), await world.local(), await world.local()] as const;
    const [first, second, third] = locals;
    await account.listen(["--to", first.origin], world.webs[0]?.origin);
    await account.listen(["--to", second.origin, "--json"], world.webs[1]?.origin);
    await account.listen(["--to", third.origin, "--path", "/own/"], world.webs[1]?.origin);
    const ids = [
      ...(await account.deliver(100)),
      ...(await account.deliver(100)),
      ...(await account.deliver(70)),
      ...(await account.deliver(30, { path: "/own/a" })),
    ];
    expect(new Set(await account.ended(ids))).toEqual(new Set(["succeeded"]));
    const ledger = locals.flatMap(ledgerOf);
    expect(ledger.sort()).toEqual(ids.map((id) => `${id}/1`).sort());
    expect(third.requests.every(({ path }) => path === "/own/a")).toBe(true);
    expect(locals.map(({ requests }) => requests.length > 0)).toEqual([true, true, true]);
    expect(third.requests).toHaveLength(30);
  });

  it("takes 100 deliveries of 64 KiB although it stood still for a while, each once", async () => {
    const account = await world.account();
    const local = await world.local();
    const listen = await account.listen(["--to", local.origin]);
    listen.child.kill("SIGSTOP");
    const ids = await account.deliver(100, { payload: "x".repeat(65_536) });
    const handed = async () => {
      const [row] = await world.sql`
        SELECT count(*)::int AS n FROM listen_exchanges WHERE account_id = ${account.id} AND state = 'handed'`;
      return row?.n > 8;
    };
    await waitFor("it is behind", handed);
    listen.child.kill("SIGCONT");
    expect(new Set(await account.ended(ids))).toEqual(new Set(["succeeded"]));
    isOnce(ledgerOf(local));
    expect(local.requests.every(({ body }) => body.length === 65_536)).toBe(true);
  });

  it("takes nothing of another account, whose key can neither resume it nor answer for it", async () => {
    const [own, other] = [await world.account(), await world.account()];
    const local = await world.local();
    const held = Promise.withResolvers<void>();
    local.respond((_, response) => void held.promise.then(() => response.end()));
    await own.listen(["--to", local.origin]);
    const stranger = await world.local();
    await other.listen(["--to", stranger.origin]);
    const [id = ""] = await own.deliver();
    await waitFor("it came", () => local.requests.length === 1);
    const [row] = await world.sql`SELECT id, listener_id FROM listen_exchanges WHERE account_id = ${own.id}`;
    const path = `/v1/listen/${encodeId("exc", row?.id)}/answer`;
    const answer = { listener: encodeId("lsn", row?.listener_id), status: 500, latency_ms: 1 };
    await expect(other.client.request("POST", path, { body: answer })).rejects.toMatchObject({ status: 404 });
    held.resolve();
    expect(await own.ended([id])).toEqual(["succeeded"]);
    expect(stranger.requests).toEqual([]);
  });

  // Complaint 14: what was missed while away is lost, and the secret must be scraped from output.
  it("says on connecting what was missed while nobody listened, and the command that it names delivers it", async () => {
    const account = await world.account(0);
    const ids = await account.deliver(2);
    expect(await account.ended(ids)).toEqual(["dead", "dead"]);
    const [attempt] = await account.attemptsOf(ids[0] as string);
    expect(attempt).toMatchObject({ error_text: "unreachable: no listener is connected", status_code: null });
    const local = await world.local();
    const listen = await account.listen(["--to", local.origin]);
    await listen.says(/^2 died: stopwatch replay --since 1h --q https:\/\/listen\.invalid\/$/m);
    expect(listen.stderr()).toContain(`secret        …${account.secret.slice(-4)}\n`);
    expect(listen.stderr()).not.toContain(account.secret);
    const command = /stopwatch (replay .*)/.exec(listen.stderr())?.[1] as string;
    const env = { STOPWATCH_API_KEY: account.key, STOPWATCH_URL: world.webs[0]?.origin as string };
    expect(await runCli([...command.split(" "), "--yes"], { env })).toMatchObject({ code: 0 });
    await waitFor("both came", () => local.requests.length === 2);
    const secrets = await runCli(["secrets", "--env"], { env });
    expect(secrets.stdout).toContain(account.secret);
  });

  // Complaint 13: "Ready!" while the connection fails, the cause hidden.
  it("is not Ready while its service is away, names the cause, and is Ready once it is there", async () => {
    const account = await world.account();
    const local = await world.local();
    const proxy = await startProxy(world.webs[0]?.port as number);
    proxy.set("accept and close");
    const becoming = account.listen(["--to", local.origin], `http://127.0.0.1:${proxy.port}`);
    await waitFor("it tried twice", () => proxy.accepted() >= 2);
    proxy.set("pass");
    const listen = await becoming;
    expect(listen.stderr()).toMatch(
      /^Not listening: http:\/\/127\.0\.0\.1:\d+ cannot be reached \(ECONNRESET\)\. Next try in \d\.\d s\.\n(Not.*\n)*Ready\n/,
    );
    const [id = ""] = await account.deliver();
    expect(await account.ended([id])).toEqual(["succeeded"]);
    await listen.kill();
    await proxy.close();
  });

  // Complaint 12: `listen` looks alive and delivers nothing.
  it("notices a network that goes silent without an end, says so, and gets what was sent meanwhile", async () => {
    const account = await world.account();
    const local = await world.local();
    const proxy = await startProxy(world.webs[0]?.port as number);
    const listen = await account.listen(["--to", local.origin], `http://127.0.0.1:${proxy.port}`);
    proxy.set("black hole");
    proxy.set("pass");
    const [id = ""] = await account.deliver();
    await listen.says(/^Not listening: nothing came for 25 s, not even a sign of life\./m, 40_000);
    await listen.says(/^Ready again after \d+\.\d s\.$/m);
    expect(await account.ended([id])).toEqual(["succeeded"]);
    isOnce(ledgerOf(local));
    await listen.kill();
    await proxy.close();
  });

  // Complaint 12 too: the machine sleeps with a delivery on its way.
  it("comes back from a sleep of 60 s at once, says so, and forwards nothing that is long over", async () => {
    const account = await world.account();
    const local = await world.local();
    const listen = await account.listen(["--to", local.origin]);
    listen.child.kill("SIGSTOP");
    const stoppedAtMs = performance.now();
    const [id = ""] = await account.deliver();
    await waitFor("60 s have passed", () => performance.now() - stoppedAtMs > 60_000, 70_000);
    expect(local.requests).toEqual([]);
    listen.child.kill("SIGCONT");
    await listen.says(/^Not listening: the clock jumped by 6\d s: this machine slept, or the process was stopped\./m);
    await listen.says(/^Ready again after \d+\.\d s/m);
    expect(await account.ended([id])).toEqual(["succeeded"]);
    const attempts = await account.attemptsOf(id);
    expect(attempts.at(-1)).toMatchObject({ outcome: "delivered", via: "listener" });
    expect(ledgerOf(local)).toEqual([`${id}/${attempts.length}`]);
  });
});

describe.concurrent("a kill", () => {
  it("of listen, before and after a local server was asked, repeats the attempt and never an exchange", async () => {
    const account = await world.account();
    const local = await world.local();
    local.respond((_, response) => {
      if (local.requests.length > 1) response.end();
    });
    const asked = await account.listen(["--to", local.origin, "--path", "/asked"]);
    const stopped = await account.listen(["--to", local.origin, "--path", "/stopped"]);
    const [afterwards = ""] = await account.deliver(1, { path: "/asked" });
    await waitFor("the local server was asked", () => local.requests.length === 1);
    await asked.kill();
    stopped.child.kill("SIGSTOP");
    const [before = ""] = await account.deliver(1, { path: "/stopped" });
    await waitFor("it is handed", async () => {
      const of = decodeId("sch", before);
      const [row] = await world.sql`SELECT state FROM listen_exchanges WHERE schedule_id = ${of}`;
      return row?.state === "handed";
    });
    await stopped.kill();
    await account.listen(["--to", local.origin]);
    expect(await account.ended([afterwards, before])).toEqual(["succeeded", "succeeded"]);
    const [first] = await account.attemptsOf(afterwards);
    expect(first).toMatchObject({ error_text: "unreachable: the listener left before it answered", via: "listener" });
    isOnce(ledgerOf(local));
    expect(ledgerOf(local).filter((entry) => entry.startsWith(before))).toHaveLength(1);
  });

  it("of the web process, while a local server works, loses neither the listener nor its answer", async () => {
    const account = await world.account(0);
    const local = await world.local();
    const held = Promise.withResolvers<void>();
    local.respond((_, response) => void held.promise.then(() => response.writeHead(200).end()));
    const doomed = await world.startWeb();
    const front = await world.front(doomed.port);
    const listen = await account.listen(["--to", local.origin], `http://127.0.0.1:${front.port}`);
    const [id = ""] = await account.deliver();
    await waitFor("the local server was asked", () => local.requests.length === 1);
    await doomed.kill();
    held.resolve();
    await waitFor("it notices", () => /^Not listening: /m.test(listen.stderr()));
    front.aim(world.webs[0]?.port as number);
    await listen.says(/^Ready again after \d\.\d s\.$/m);
    expect(await account.ended([id])).toEqual(["succeeded"]);
    expect(ledgerOf(local)).toEqual([`${id}/1`]);
    await listen.writes(/ {2}200 {2}\d+ ms {2}attempt 1 {2}\d+ ms late\n$/);
  });
});

// Not beside others, since it measures seconds.
it("listen is told within ten seconds that its key was revoked, and ends with exit code 3", async () => {
  const account = await world.account();
  const local = await world.local();
  const listen = await account.listen(["--to", local.origin]);
  await account.ended(await account.deliver());
  await world.sql`UPDATE api_keys SET revoked_at = now() WHERE id = ${account.keyId}`;
  const revokedAtMs = performance.now();
  expect(await listen.exited).toBe(3);
  expect(performance.now() - revokedAtMs).toBeLessThan(10_000);
  expect(listen.stderr()).toContain("The key was revoked");
});

it("a kill of the dispatchers, while a local server works, ends in one more attempt and no exchange twice", async () => {
  const account = await world.account();
  const local = await world.local();
  const held = Promise.withResolvers<void>();
  local.respond((_, response) => void held.promise.then(() => response.end()));
  await account.listen(["--to", local.origin]);
  const ids = await account.deliver(4);
  await waitFor("the local server was asked", () => local.requests.length === 4);
  await world.endProcesses();
  held.resolve();
  world.spawn();
  expect(new Set(await account.ended(ids, 90_000))).toEqual(new Set(["succeeded"]));
  isOnce(ledgerOf(local));
  expect(ledgerOf(local).sort()).toEqual(ids.flatMap((id) => [`${id}/1`, `${id}/2`]).sort());
});

/** The headers that do not differ from one attempt to another. */
function fixedHeaders({ rawHeaders }: ReceivedRequest): string[] {
  const ofAttempt = /^host$|signature|webhook|schedule-id|fire-at/i;
  return rawHeaders.flatMap((text, at) => {
    if (at % 2 === 1) return [];
    return [ofAttempt.test(text) ? text : `${text}: ${rawHeaders[at + 1]}`];
  });
}

function expectBothSignatures({ headers, body }: ReceivedRequest, secret: string, uuid: string) {
  const id = encodeId("sch", uuid);
  const [, timestamp, signature] = /^t=(\d+),v1=([0-9a-f]{64})/.exec(String(headers["x-service-signature"])) ?? [];
  expect(signature).toBe(createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex"));
  const signedAt = new Date(Number(headers["webhook-timestamp"]) * 1_000);
  expect(headers["webhook-signature"]).toBe(new Webhook(secret).sign(id, signedAt, body.toString()));
}
