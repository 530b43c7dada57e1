// Guards: cli/src/doctor/**, cli/src/verbs/doctor.ts, cli/src/trigger/deliver-now.ts, cli/src/verify/known-secrets.ts, cli/src/verify/read-variables.ts
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { CliResult } from "#tests/helpers/cli-process.ts";
import { emptyFolders } from "#tests/helpers/empty-folders.ts";
import { startDeliveringService } from "./delivering-service.ts";
import { startFront } from "./front.ts";

const emptyFolder = emptyFolders();

let service: Awaited<ReturnType<typeof startDeliveringService>>;
let front: Awaited<ReturnType<typeof startFront>>;
let tls: Awaited<ReturnType<typeof startFront>>;
beforeAll(async () => {
  service = await startDeliveringService();
  front = await startFront(service.origin);
  tls = await startFront(service.origin, { tls: true });
});
afterEach(() => front.answerInstead(() => false));
afterAll(async () => {
  await Promise.all([front?.stop(), tls?.stop()]);
  await service?.stop();
});

async function account(env: "live" | "test" = "test") {
  const made = await service.account(env);
  const secrets = (await service.api.call("GET", "/v1/signing-secrets", made.caller[env])).body;
  return { ...made, secrets };
}

const findings = ({ json }: CliResult) =>
  Object.fromEntries(json().map(({ check, ...finding }) => [check, finding])) as {
    [check: string]: { status: string; found: string; fix?: string };
  };

const statuses = (result: CliResult) =>
  Object.fromEntries(Object.entries(findings(result)).map(([check, { status }]) => [check, status]));

it("finds nothing on a whole installation, with a signed delivery to a receiver and its timing", async () => {
  const { run, secrets } = await account();
  const cwd = emptyFolder();
  writeFileSync(join(cwd, ".env"), `STOPWATCH_SECRET=${secrets.current}\nSTOPWATCH_SECRET_NEXT="${secrets.next}"\n`);
  const args = ["doctor", "--target", `${service.receiver.origin}/hook`];
  const result = await run([...args, "--json"], { cwd, env: { STOPWATCH_URL: front.origin } });
  const found = findings(result);
  expect(statuses(result)).toEqual({
    address: "ok",
    TLS: "ok",
    key: "ok",
    account: "ok",
    environment: "ok",
    clock: "ok",
    quota: "ok",
    rate: "ok",
    version: "skipped",
    dispatchers: "ok",
    secrets: "ok",
    delivery: "ok",
  });
  expect(result.code).toBe(0);
  expect(found.quota?.found).toMatch(/^\d+ of \d+ schedules in \d{4}-\d\d \(UTC\)$/);
  expect(found.rate?.found).toMatch(/^\d+ of \d+ calls of this minute are left$/);
  expect(found.delivery?.found).toMatch(
    /^http:\/\/localhost:\d+ answered 200 \(began .+ after it was due, .*first byte back after .+\)$/,
  );
  expect(service.receiver.requests.at(-1)?.headers["webhook-signature"]).toMatch(/^v1,/);
});

describe("names the cause, stops where the rest has no meaning, and ends with 1", () => {
  const html = (_: unknown, response: ServerResponse) => {
    response.writeHead(200, { "Content-Type": "text/html" }).end("<html>Sign in to the network</html>");
    return true;
  };
  it("a refused connection, a name that does not exist and an address that is none", async () => {
    const { run } = await account();
    const at = async (url: string) => {
      const result = await run(["doctor", "--json"], { env: { STOPWATCH_URL: url } });
      expect(result.code).toBe(1);
      return findings(result);
    };
    const refused = await at("http://127.0.0.1:9");
    expect(refused.address).toMatchObject({
      status: "failure",
      found: "nothing listens at 127.0.0.1:9 (ECONNREFUSED)",
    });
    expect(refused.version).toEqual({ status: "skipped", found: "has no meaning before address" });
    expect(refused.key?.status).toBe("ok");
    expect(refused.account?.status).toBe("skipped");
    const unknown = await at("https://no-such-name.invalid");
    expect(unknown.address?.found).toMatch(/^(the name|no DNS server answers for) no-such-name\.invalid /);
    expect((await at("")).address?.found).toBe("no address is set");
    expect((await at("example.com")).address?.found).toBe("STOPWATCH_URL is no address");
    expect((await at("https://user:canary-password@example.com")).address?.found).toBe(
      "the address must have no credentials",
    );
  });

  it("a captive portal, a redirect, a proxy without Stopwatch behind it, and another server", async () => {
    const { run } = await account();
    const see = async () => findings(await run(["doctor", "--json"], { env: { STOPWATCH_URL: front.origin } })).version;
    front.answerInstead(html);
    expect(await see()).toMatchObject({
      status: "failure",
      found: "a web page answers in place of the API (HTML, 200)",
      fix: expect.stringContaining("captive portal"),
    });
    front.answerInstead((_, response) =>
      Boolean(response.writeHead(302, { Location: "http://portal.example.net/?token=canary" }).end()),
    );
    expect(await see()).toMatchObject({ found: `${front.origin} redirects to http://portal.example.net (302)` });
    front.answerInstead((_, response) =>
      Boolean(response.writeHead(502, { "Content-Type": "text/html" }).end("<h1>Bad Gateway")),
    );
    expect((await see())?.fix).toContain("A proxy is up and Stopwatch behind it is not");
    front.answerInstead((_, response) => Boolean(response.writeHead(404).end("not here")));
    expect(await see()).toMatchObject({ found: `${front.origin} answers 404, not as Stopwatch does` });
  });

  it("a self-signed certificate; and none when its authority is named", async () => {
    const { run } = await account();
    const env = { STOPWATCH_URL: tls.origin };
    const untrusted = await run(["doctor", "--json"], { env });
    expect(findings(untrusted).TLS).toMatchObject({
      status: "failure",
      found: expect.stringMatching(/^the certificate of localhost:\d+ is .*(self-signed|not trusted here)/),
      fix: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
    });
    const ca = join(emptyFolder(), "ca.pem");
    writeFileSync(ca, tls.ca);
    const trusted = await run(["doctor", "--json"], { env: { ...env, NODE_EXTRA_CA_CERTS: ca } });
    expect(findings(trusted).TLS?.found).toMatch(/^TLSv1\.\d, certificate valid for \d+ days more$/);
    expect(findings(trusted).account?.status).toBe("ok");
  });

  it("https to a port that speaks http", async () => {
    const { run } = await account();
    const result = await run(["doctor", "--json"], { env: { STOPWATCH_URL: front.origin.replace("http:", "https:") } });
    expect(findings(result).TLS?.found).toContain("speaks no TLS");
  });

  it("a proxy that the environment names and Node.js does not use, without its credentials", async () => {
    const { run } = await account();
    const env = {
      STOPWATCH_URL: "https://no-such-name.invalid",
      HTTPS_PROXY: "http://me:canary-password@proxy.example.net:3128",
    };
    const { stdout } = await run(["doctor"], { env });
    expect(stdout).toContain(
      "HTTPS_PROXY names a proxy (proxy.example.net:3128), which Node.js uses only with NODE_USE_ENV_PROXY=1.",
    );
    expect(stdout).not.toContain("canary-password");
  });

  it("an installation behind a proxy that Node.js does use is reached through it", async () => {
    const { run } = await account();
    const asked: string[] = [];
    const proxy = createServer().on("connect", ({ url = "" }, socket: Socket) => {
      asked.push(url);
      const through = connect(front.port, "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
      socket
        .pipe(through)
        .pipe(socket)
        .on("error", () => {});
      through.on("error", () => {});
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const HTTP_PROXY = `http://me:canary-password@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const env = { STOPWATCH_URL: "http://no-such-name.invalid", HTTP_PROXY, NODE_USE_ENV_PROXY: "1" };
    const result = await run(["doctor", "--json"], { env });
    proxy.closeAllConnections();
    proxy.close();
    expect(findings(result).address?.found).toMatch(
      /^http:\/\/no-such-name\.invalid, through the proxy 127\.0\.0\.1:\d+ \(HTTP_PROXY\)$/,
    );
    expect(findings(result).account?.status).toBe("ok");
    expect(asked).toContain("no-such-name.invalid:80");
    expect(result.stdout).not.toContain("canary-password");
  });

  it("no key, a mistyped one and a revoked one", async () => {
    const { run, caller } = await account();
    const see = async (STOPWATCH_API_KEY: string) => {
      const result = await run(["doctor", "--json"], { env: { STOPWATCH_URL: front.origin, STOPWATCH_API_KEY } });
      expect(result.code).toBe(1);
      return findings(result);
    };
    const none = await see("");
    expect(none.key).toMatchObject({ status: "failure", found: "There is no API key." });
    expect(none.dispatchers?.status).toBe("ok");
    const mistyped = `${caller.test.slice(0, -1)}${caller.test.endsWith("0") ? "1" : "0"}`;
    expect((await see(mistyped)).key).toMatchObject({
      status: "failure",
      found: "The API key has a typing error (STOPWATCH_API_KEY).",
    });
    await service.api.sql`DELETE FROM api_keys WHERE account_id = ${caller.accountId} AND env = 'test'`;
    const revoked = await see(caller.test);
    expect(revoked.key?.status).toBe("ok");
    expect(revoked.account?.found).toContain("the installation refuses the key (401)");
    expect(revoked.quota).toEqual({ status: "skipped", found: "has no meaning before account" });
  });

  it("a clock that is off, no dispatcher, and an installation that serves another version", async () => {
    const { run } = await account();
    front.answerInstead(({ url }, response) => {
      if (url === "/cli.tgz")
        return Boolean(response.writeHead(307, { Location: "/cli/stopwatch-cli-9.9.9-b1.tgz" }).end());
      if (url === "/readyz") {
        const checks = { database: "ok", queue: "unavailable" };
        return Boolean(response.writeHead(503).end(JSON.stringify({ status: "unavailable", checks })));
      }
      if (url !== "/v1/me") return false;
      response.setHeader("Date", new Date(Date.now() - 400_000).toUTCString());
      const me = { apiKey: { id: "key_x", env: "test" }, subscription: { plan: "free" } };
      return Boolean(response.writeHead(200).end(JSON.stringify(me)));
    });
    const result = await run(["doctor", "--json"], { env: { STOPWATCH_URL: front.origin } });
    const { clock, dispatchers } = findings(result);
    expect(clock?.found).toMatch(
      /^this machine's clock is (399|40\d) s ahead of the installation's: a receiver here refuses/,
    );
    expect(dispatchers).toMatchObject({ status: "failure", found: "no dispatcher is alive: nothing is sent" });
  });

  it("secrets of another environment, of before a rotation, and half of them", async () => {
    const { run, secrets, caller } = await account();
    const see = async (...lines: string[]) => {
      const cwd = emptyFolder();
      writeFileSync(join(cwd, ".env"), lines.join("\n"));
      return findings(await run(["doctor", "--json"], { cwd, env: { STOPWATCH_URL: front.origin } })).secrets;
    };
    const live = (await service.api.call("GET", "/v1/signing-secrets", caller.live)).body;
    expect(await see(`STOPWATCH_SECRET=${live.current}`)).toMatchObject({
      status: "failure",
      found: "STOPWATCH_SECRET of .env and the environment: neither the current nor the next secret of test",
    });
    expect(await see(`STOPWATCH_SECRET=${secrets.current}`)).toMatchObject({ status: "warning" });
    expect((await see(`STOPWATCH_SECRET=${secrets.current.slice(0, 20)}`))?.found).toContain(
      "is not whsec_ and base64",
    );
  });

  it("a receiver that refuses the test delivery, once", async () => {
    const { run } = await account();
    service.receiver.respond((_, response) => response.writeHead(500).end("canary-of-the-target"));
    const before = service.receiver.requests.length;
    const result = await run(["doctor", "--json", "--target", `${service.receiver.origin}/hook`], {
      env: { STOPWATCH_URL: front.origin },
    });
    service.receiver.respond((_, response) => response.end("ok"));
    expect(findings(result).delivery).toMatchObject({
      status: "failure",
      found: expect.stringMatching(/ answered 500 /),
    });
    expect(service.receiver.requests.length).toBe(before + 1);
  });
});

it("says what is wrong with a target that is not allowed", async () => {
  const { run } = await account();
  const result = await run(["doctor", "--json", "--target", "http://192.168.1.1/hook"], {
    env: { STOPWATCH_URL: front.origin },
  });
  const { delivery } = findings(result);
  expect(delivery).toMatchObject({ status: "failure", found: "the call failed (VALIDATION, 400)" });
  expect(delivery?.fix).toContain("targetUrl");
});

it("sends nothing with a live key without --yes where there is no terminal", async () => {
  const { run } = await account("live");
  const before = service.receiver.requests.length;
  const { code, stderr } = await run(["doctor", "--target", `${service.receiver.origin}/hook`]);
  expect(code).toBe(2);
  expect(stderr).toContain("This is a live key");
  expect(service.receiver.requests.length).toBe(before);
});

it("the report has no key, payload, header or secret, wherever a canary stands", async () => {
  const { run, secrets, caller } = await account();
  const cwd = emptyFolder();
  const canary = (place: string) => `canary-${place}-7f3a91`;
  writeFileSync(
    join(cwd, ".env"),
    [
      `STOPWATCH_SECRET=${secrets.current}`,
      `STOPWATCH_SECRET_NEXT=whsec_${Buffer.from(canary("next")).toString("base64")}`,
      `DATABASE_URL=postgres://me:${canary("database")}@db.example.net/x`,
      `OTHER=${canary("file")}`,
    ].join("\n"),
  );
  service.receiver.respond((request, response) => {
    response.writeHead(500, { "X-Canary": canary("answer-header") }).end(`${canary("answer")} ${request.body}`);
  });
  front.answerInstead(({ url }, response) => {
    response.setHeader("X-Canary", canary("api-header"));
    if (url === "/cli.tgz") response.setHeader("Server", canary("server"));
    return false;
  });
  const env = {
    STOPWATCH_URL: front.origin,
    HTTPS_PROXY: `http://me:${canary("proxy")}@proxy.example.net`,
    SOME_TOKEN: canary("token"),
  };
  const target = `${service.receiver.origin}/${canary("path")}?token=${canary("query")}#${canary("fragment")}`;
  for (const settings of [
    env,
    { ...env, STOPWATCH_API_KEY: canary("malformed-key") },
    { ...env, STOPWATCH_URL: `http://me:${canary("url")}@localhost` },
  ]) {
    const file = `report-${readdirSync(cwd).length}.txt`;
    const { code, stderr } = await run(["doctor", "--target", target, "--report", file], { cwd, env: settings });
    expect(code).toBe(1);
    expect(stderr).toContain(`wrote ${file}`);
    const report = readFileSync(join(cwd, file), "utf8");
    expect(report).toContain("stopwatch-cli ");
    expect(report).not.toMatch(/canary|whsec_|webhook-|sw_test_\w|x-service/i);
    for (const secret of [caller.test, secrets.current, secrets.next])
      expect(report).not.toContain(secret.slice(8, 20));
    expect(report).not.toContain(Buffer.from("canary-").toString("base64").slice(0, 8));
    expect(statSync(join(cwd, file)).mode & 0o777).toBe(0o600);
  }
  service.receiver.respond((_, response) => response.end("ok"));
  const again = await run(["doctor", "--report", "report-1.txt"], { cwd, env });
  expect(again).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--report names report-1.txt, which is there already"),
  });
});
