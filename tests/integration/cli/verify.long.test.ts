// Guards: cli/src/verify/**, cli/src/verbs/verify.ts, cli/src/settings/**, sdk/src/signatures/**
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli } from "#tests/helpers/cli-process.ts";
import { emptyFolders } from "#tests/helpers/empty-folders.ts";
import { signDelivery } from "../../../sdk/src/signatures/sign-delivery.ts";
import { bodyOf, VERIFY_VECTORS, variablesOf } from "../../unit/cli/verify-vectors.ts";
import { startCliService } from "./service.ts";

const emptyFolder = emptyFolders();

let service: Awaited<ReturnType<typeof startCliService>>;
beforeAll(async () => {
  service = await startCliService();
});
afterAll(() => service?.stop());

/** A folder with these files. */
function folderOf(files: { [name: string]: string | Buffer }) {
  const folder = emptyFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content, { mode: 0o600 });
  return folder;
}

const envText = (variables: object) =>
  Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");

describe("without a key it finds what is wrong with the secrets of this folder", () => {
  const RUN = [
    ...["as it was sent", "a newline was added", "JSON without spaces was sent, and indented", "the next secret"],
    ...["text as the key of Standard Webhooks", "the clock is 301 s ahead", "webhook-id was changed"],
  ];
  it.each(VERIFY_VECTORS.filter(({ name }) => RUN.includes(name)))("$name", async (vector) => {
    const cwd = folderOf({
      ".env": envText(variablesOf(vector)),
      "headers.json": JSON.stringify(vector.headers),
      body: bodyOf(vector),
    });
    const args = ["verify", "headers.json", "--body", "body", "--received-at", String(vector.received_at)];
    const { code, stdout, stderr } = await runCli(args, { cwd });
    expect({ code, stderr }).toEqual({ code: vector.exit, stderr: "" });
    expect(stdout.startsWith(vector.sentence.replace(/\.$/, ""))).toBe(true);
    for (const secret of Object.values(variablesOf(vector))) expect(stdout).not.toContain(secret.slice(6, 20));
  });
});

/** A raw request that was signed with `secret` now. */
async function requestSignedWith(secret: string, body = '{"order":"A1"}') {
  const lines = Object.entries(await signDelivery({ secret, body })).map(([name, value]) => `${name}: ${value}`);
  return `POST /hook HTTP/1.1\r\nHost: localhost:3000\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}

async function accountWithSecrets() {
  const account = await service.account("test");
  const read = async (key: string) => (await service.api.call("GET", "/v1/signing-secrets", key)).body;
  return { ...account, test: await read(account.caller.test), live: await read(account.caller.live) };
}

it("with a key it tries the account's secrets, from a raw request on stdin", async () => {
  const { run, test } = await accountWithSecrets();
  const { code, stdout, stderr } = await run(["verify", "-"], { stdin: await requestSignedWith(test.current) });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("The signature is right: made with the current secret of test, at ");
});

it("names the other environment's secret, with the key of each", async () => {
  const { run, test, live, caller } = await accountWithSecrets();
  const cwd = folderOf({ ".env": envText({ STOPWATCH_SECRET: live.current, STOPWATCH_SECRET_NEXT: live.next }) });
  const config = emptyFolder();
  const profiles = JSON.stringify({ production: { url: service.origin, key: caller.live } });
  mkdirSync(join(config, "stopwatch"), { mode: 0o700 });
  writeFileSync(join(config, "stopwatch/profiles.json"), profiles, { mode: 0o600 });
  const stdin = await requestSignedWith(test.current);
  const env = { XDG_CONFIG_HOME: config };
  const both = await run(["verify", "-", "--also", "production", "--json"], { cwd, env, stdin });
  expect(both).toMatchObject({ code: 1, stderr: "" });
  expect(both.json()).toMatchObject([{ fits: false, problems: [{ code: "other_environment" }] }]);
  const one = await run(["verify", "-"], { cwd, env, stdin });
  expect(one).toMatchObject({ code: 1, stderr: "" });
  expect(one.stdout).toContain(
    "It is signed with the current secret of test, which the receiver does not have (STOPWATCH_SECRET, STOPWATCH_SECRET_NEXT).\n  Fix: ",
  );
});

it("names the former secret after a rotation, and the next one", async () => {
  const { run, test, caller } = await accountWithSecrets();
  const cwd = folderOf({ ".env": envText({ STOPWATCH_SECRET: test.current, STOPWATCH_SECRET_NEXT: test.next }) });
  await service.api.call("POST", "/v1/signing-secrets/rotate", caller.test);
  const former = await run(["verify", "-", "--json"], { cwd, stdin: await requestSignedWith(test.current) });
  expect(former.json()).toMatchObject([{ problems: [{ code: "former_secret" }] }]);
  const offline = ["verify", "-", "--json", "--offline"];
  const next = await run(offline, { cwd, stdin: await requestSignedWith(test.next) });
  expect(next.json()).toMatchObject([{ problems: [{ code: "next_secret" }] }]);
});

describe("ends with 2, or 3 without a key, and sends nothing", () => {
  const request = Buffer.from("webhook-id: x\n");
  it.each([
    ["no capture", ["verify"], {}, "missing required argument 'CAPTURE'"],
    [
      "a file that is not there",
      ["verify", "nothing.txt"],
      {},
      "CAPTURE names nothing.txt, which cannot be read (ENOENT)",
    ],
    [
      "an answer",
      ["verify", "a"],
      { a: "HTTP/1.1 200 OK\n\n" },
      "CAPTURE cannot be read: it is an answer, not a request",
    ],
    [
      "a body that cannot be read",
      ["verify", "a", "--body", "."],
      { a: request },
      "--body names ., which cannot be read (EISDIR)",
    ],
    ["stdin twice", ["verify", "-", "--body", "-"], {}, "--body must not be stdin when CAPTURE is"],
    [
      "a time without a zone",
      ["verify", "a", "--received-at", "2026-03-29T09:00"],
      { a: request },
      "--received-at must be a time with an offset",
    ],
    [
      "a profile that does not exist",
      ["verify", "a", "--also", "none"],
      { a: request },
      'There is no profile "none"',
      3,
    ],
    ["no secrets", ["verify", "a", "--offline"], { a: request }, "STOPWATCH_SECRET is missing"],
    [
      "a key as the value of an option",
      ["verify", "a", "--secret", "whsec_x"],
      { a: request },
      "unknown option '--secret'",
    ],
  ])("%s", async (_, args, files, problem, exitCode = 2) => {
    const before = service.requests.length;
    const { code, stdout, stderr } = await runCli(args, { cwd: folderOf(files as { [name: string]: string }) });
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: "" });
    expect(stderr).toContain(problem);
    expect(service.requests.length).toBe(before);
  });
});

it("still tries the secrets of this folder when the installation does not answer, and says so", async () => {
  const { run, test } = await accountWithSecrets();
  const cwd = folderOf({ ".env": envText({ STOPWATCH_SECRET: test.current }) });
  const { code, stderr } = await run(["verify", "-"], {
    cwd,
    stdin: await requestSignedWith(test.current),
    env: { STOPWATCH_URL: "http://127.0.0.1:9" },
  });
  expect(code).toBe(0);
  expect(stderr).toContain("only the secrets of this folder are tried: http://127.0.0.1:9 cannot be reached");
});
