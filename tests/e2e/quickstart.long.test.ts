// Guards: docs/quickstart*, server/docs/**, sdk/**, app/(public)/docs/markdown/**
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { processEnv } from "#config.ts";
import { apiKeyPreview, generateApiKey, hashApiKey } from "#domain/api-key.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { curlArguments } from "#tests/helpers/curl-arguments.ts";
import { createTestDatabase } from "#tests/helpers/database.ts";
import { createDispatchHarness, type DispatchHarness } from "#tests/helpers/dispatch-harness.ts";
import { ENCRYPTION_KEYS } from "#tests/helpers/encryption-keys.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { startWebProcess, type WebProcess } from "#tests/helpers/web-process.ts";

const KEY = generateApiKey("test");
const ENV = { STOPWATCH_API_KEY: KEY };

let receiver: Receiver;
let dispatch: DispatchHarness;
let web: WebProcess;
let folder: string;

beforeAll(async () => {
  receiver = await startReceiver();
  folder = await mkdtemp(join(tmpdir(), "stopwatch-quickstart-"));
  const caFile = join(folder, "ca.pem");
  await writeFile(caFile, receiver.ca);
  const settings = { DELIVERY_ALLOW: receiver.origin, DELIVERY_CA_FILE: caFile };
  dispatch = await createDispatchHarness(settings, await createTestDatabase());
  await dispatch.process();
  web = await startWebProcess({ DATABASE_URL: dispatch.databaseUrl, ENCRYPTION_KEYS, ...settings });
  const { id } = await dispatch.account();
  await dispatch.sql`INSERT INTO api_keys (id, account_id, env, name, hash, last4)
    VALUES (gen_random_uuid(), ${id}, 'test', 'k', ${hashApiKey(KEY)}, ${apiKeyPreview(KEY).last4})`;
});
afterAll(async () => {
  await web?.stop();
  await dispatch?.endProcesses();
  await dispatch?.close();
  await receiver?.close();
  if (folder) await rm(folder, { recursive: true });
});

/** The code of a tab of the quickstart, in the order of the page, with the receiver of this test as its target. */
async function codesOf(tab: string): Promise<string[]> {
  const text = await (await fetch(`${web.origin}/docs/quickstart.md`)).text();
  const codes = [...text.matchAll(/^```\w+ (.+)\n([\s\S]*?)^```$/gm)].filter(([, title]) => title === tab);
  return codes.map(([, , code = ""]) => code.replace("https://example.com/", `${receiver.origin}/${tab}`));
}

/** The answer to a curl command, which a shell has read. */
async function curl(command: string) {
  const { url, ...init } = await curlArguments(command, ENV);
  const answer = await fetch(url, init);
  return { status: answer.status, body: await answer.json() };
}

it("the curl commands of the quickstart schedule a request anew each time, and show when it has left", async () => {
  const [create = "", read = ""] = await codesOf("curl");
  const { status, body } = await curl(create);
  expect({ status, body }).toMatchObject({ status: 201, body: { status: "scheduled", replayed: false } });
  const afterwards = async () => (await curl(read.replace("sch_…", body.id))).body;
  const left = await waitFor(
    "it has left",
    async () => {
      const schedule = await afterwards();
      return schedule.status === "succeeded" && schedule;
    },
    40_000,
  );
  expect(left.offset_ms).toBeGreaterThanOrEqual(0);
  expect(receiver.requests.filter(({ path }) => path === "/curl").map(({ method }) => method)).toEqual(["GET"]);
  expect((await curl(create)).body).toMatchObject({ status: "scheduled", replayed: false });
});

it("the SDK of the quickstart is installed from this installation, and prints that the request has left", async () => {
  const [create = "", wait = ""] = await codesOf("SDK");
  const [, address = "", install = ""] = /curl -LO (\S+) && (npm i \.\/sdk\.tgz)/.exec(create) ?? [];
  await writeFile(join(folder, "sdk.tgz"), Buffer.from(await (await fetch(address)).arrayBuffer()));
  await writeFile(join(folder, "hello.mjs"), create + wait);
  const options = { cwd: folder, env: { ...processEnv(), ...ENV, NODE_ENV: "production" as const } };
  const run = async (program: string, ...args: string[]) => (await promisify(execFile)(program, args, options)).stdout;
  const [npm = "", ...args] = install.split(" ");
  await run(npm, ...args, "--offline", "--no-audit", "--no-fund");
  expect(await run(process.execPath, "hello.mjs")).toMatch(/^succeeded \d+$/m);
  expect(receiver.requests.filter(({ path }) => path === "/SDK").map(({ method }) => method)).toEqual(["GET"]);
});

it("the fetch call of the quickstart answers 201", async () => {
  const [create = ""] = await codesOf("fetch");
  const printed: unknown[] = [];
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  const log = (...all: unknown[]) => printed.push(...all);
  await new AsyncFunction("process", "console", create)({ env: ENV }, { log });
  expect(printed).toEqual([201, expect.objectContaining({ status: "scheduled", replayed: false })]);
});
