import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DATABASE_FAULTS, describeFault } from "#domain/database-fault.ts";
import { type DatabaseProxy, startProxy } from "#scripts/lab/proxy.ts";
import { type Services, startServices } from "#server/services.ts";
import { createTlsPeers, overTls, passesOn, plain, refuses, SPEAKERS } from "../../helpers/database-peers.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { watchUncaught } from "../../helpers/watch-uncaught.ts";
import {
  type Answer,
  type Api,
  askReadiness,
  call,
  FUTURE,
  startApi,
  TARGET,
  type TestCaller,
  testConfig,
} from "./api.ts";

let api: Api;
let caller: TestCaller;
let proxy: DatabaseProxy;
let web: Services | undefined;
let folder: string;
let tls: Awaited<ReturnType<typeof createTlsPeers>>;

beforeAll(async () => {
  api = await startApi();
  await api.services.installation();
  caller = await api.account();
  tls = await createTlsPeers();
  folder = await mkdtemp(join(tmpdir(), "stopwatch-authority-"));
  await writeFile(join(folder, "ca.pem"), tls.ca);
});
beforeEach(async () => {
  proxy = await startProxy(Number(new URL(api.database.url).port));
});
afterEach(async () => {
  await web?.close();
  web = undefined;
  await proxy.close();
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await api.stop();
});

const address = () =>
  Object.assign(new URL(api.config.databaseUrl), { hostname: "localhost", port: String(proxy.port) }).href;
const verified = () => `${address()}?sslmode=verify-full&sslrootcert=${join(folder, "ca.pem")}`;
const one = "/v1/schedules/sch_01h00000000000000000000000";
const create = () => call("POST", "/v1/schedules", caller.live, { targetUrl: TARGET, fireAt: FUTURE });

/** Expects that every call is 503 in the form of the contract, that `/readyz` says why, and that neither tells where. */
async function expectUnavailable(says: RegExp) {
  const { port, password } = new URL(address());
  const isSecret = ({ text }: Answer) =>
    [`:${port}`, `:${password}@`, "sslrootcert="].some((word) => text.includes(word));
  const calls = await Promise.all([
    create(),
    call("GET", "/v1/schedules", caller.live),
    call("PATCH", one, caller.live, { fireIn: "2h" }),
    call("DELETE", one, caller.live),
  ]);
  for (const { status, headers, body } of calls) {
    expect([status, body.error?.code]).toEqual([503, "UNAVAILABLE"]);
    expect(headers.get("retry-after")).toBe("5");
    expect(DATABASE_FAULTS.filter((fault) => body.error.message.startsWith(describeFault(fault)))).toHaveLength(1);
  }
  const ready = await waitFor("/readyz says why", async () => {
    const answer = await askReadiness();
    return says.test(answer.body.reason) && answer;
  });
  expect(ready.status).toBe(503);
  expect([...calls, ready].filter(isSecret)).toEqual([]);
}

const isBack = () => waitFor("the next create is stored", async () => (await create()).status === 201);

/** What a running web process meets, and what it says at `/readyz`. Those that close it tries again until a call's deadline. */
const MET = SPEAKERS.filter(([, , says]) => !says.test("closed"));

describe("while a web process that runs meets, in place of its database,", () => {
  it.each(MET)("%s, each call is 503 and /readyz says why; then it goes on", async (_, speak, says) => {
    const uncaught = watchUncaught();
    web = startServices(testConfig(address()));
    await isBack();
    proxy.set(plain(speak));
    const words = [
      /does not speak as PostgreSQL does/,
      /kind of login|login in a way/,
      /It refuses connections/,
      /files/,
    ];
    await expectUnavailable(new RegExp([says, ...words].map(({ source }) => source).join("|")));
    proxy.set("pass");
    await isBack();
    expect(uncaught).toEqual([]);
  });

  it("a certificate that has expired, each call is 503 and /readyz says why; then it goes on", async () => {
    web = startServices(testConfig(verified()));
    proxy.set(overTls(tls.good, passesOn(Number(new URL(api.database.url).port))));
    await isBack();
    const [, expired] = tls.peers.find(([what]) => what === "an expired certificate") ?? [];
    proxy.set(expired ?? "pass");
    await expectUnavailable(/cannot be reached right now\. Its certificate has expired\./);
    proxy.set(overTls(tls.good, passesOn(Number(new URL(api.database.url).port))));
    await isBack();
  });

  it.each([
    ["08P01", "unsupported startup parameter: statement_timeout"],
    ["42704", 'unrecognized configuration parameter "jit"'],
    ["28P01", "password authentication failed"],
    ["42501", 'permission denied for database "d"'],
    ["53300", "sorry, too many clients already"],
  ])("a server that begins no session with its settings, role or number (%s %s), it waits", async (code, text) => {
    web = startServices(testConfig(address()));
    await isBack();
    proxy.set(plain(refuses(code, text)));
    await expectUnavailable(
      /unsupported startup|unrecognized conf|refuses the login|does not permit|no more connections/,
    );
    proxy.set("pass");
    await isBack();
  });
});

it("a web process that starts while its certificate is expired answers 503 until it is not", async () => {
  web = startServices(testConfig(verified()));
  const [, expired] = tls.peers[0] ?? [];
  proxy.set(expired ?? "pass");
  await expectUnavailable(/Its certificate has expired/);
  proxy.set(overTls(tls.good, passesOn(Number(new URL(api.database.url).port))));
  await isBack();
});
