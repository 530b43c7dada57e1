// Guards: docs/own-database.md, scripts/stack/**
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { processEnv } from "#config.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { freePort } from "#scripts/ports.ts";
import { makeCheckout, PROJECT, put } from "#tests/helpers/checkout.ts";
import { samplesOf } from "#tests/helpers/doc-samples.ts";
import { type OwnServer, startOwnServer } from "#tests/helpers/own-server.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";

const [roles, steps] = samplesOf("own-database.md").map(({ code }) => code) as [string, string];

let checkout: Awaited<ReturnType<typeof makeCheckout>>;
let server: OwnServer;
let receiver: Receiver;
let start: ChildProcess | undefined;

beforeAll(async () => {
  checkout = await makeCheckout();
  // In place of `npm ci`. The build is recognised by its sources.
  const packages = join(PROJECT, "node_modules");
  await promisify(execFile)("bash", [
    "-c",
    `cp -al ${packages} ${checkout.path} || cp -a ${packages} ${checkout.path}`,
  ]);
  for (const made of [".next", "sdk/dist"])
    await cp(join(PROJECT, made), join(checkout.path, made), { recursive: true, verbatimSymlinks: true }).catch(
      () => {},
    );
  server = await startOwnServer();
  receiver = await startReceiver({ tls: false });
});
afterAll(async () => {
  if (start?.exitCode === null) {
    process.kill(-(start.pid as number), "SIGINT");
    await once(start, "exit");
  }
  await receiver?.close();
  await server?.remove();
  await checkout?.remove();
});

it("the steps of own-database.md lead from a new database to a first delivery, where the doctor finds no failure", async () => {
  // The server has a role and a database of the page's name already.
  const renamed = (code: string) => code.replaceAll("stopwatch", "another");
  const sql = postgres(server.url, { max: 1, onnotice: () => {} });
  for (const statement of renamed(roles).split(/(?<=;)\n/)) await sql.unsafe(statement);
  await sql.end();

  const { PATH, HOME } = processEnv();
  const given: Record<string, string | undefined> = { PATH: `${checkout.path}/node_modules/.bin:${PATH}`, HOME };
  const env = given as NodeJS.ProcessEnv;
  const run = (code: string) =>
    promisify(execFile)("bash", ["-c", `set -e\n${code}`], { cwd: checkout.path, env, maxBuffer: 1e8 });
  const before = put(renamed(steps), [
    ["npm ci\n", ""],
    ["db.example.com:5432", new URL(server.url).host],
    ["npm run account", "npm run --silent account"],
    ["npm start\n", ""],
  ]);
  const { stdout } = await run(before);
  const { key } = JSON.parse(stdout.slice(stdout.indexOf("{")));

  const port = await freePort();
  await appendFile(
    join(checkout.path, ".env"),
    `PORT=${port}\nDISPATCHER_PORT=${await freePort()}\nDELIVERY_ALLOW=${receiver.origin}\n`,
  );
  start = spawn("npm", ["start"], { cwd: checkout.path, env, stdio: "ignore", detached: true });
  const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok === true;
  await waitFor("everything runs", isReady, 120_000);

  const created = await fetch(`http://127.0.0.1:${port}/v1/schedules`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ targetUrl: `${receiver.origin}/first`, fireIn: "1s" }),
  });
  expect(created.status).toBe(201);
  await waitFor("the request arrives", () => receiver.requests.length > 0);
  expect(JSON.parse((await run("npm run --silent doctor -- --json")).stdout)).toMatchObject({ status: "warning" });
  await rm(join(checkout.path, ".env"));
});
