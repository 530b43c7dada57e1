// Guards: config.ts, scripts/setup-error.ts, scripts/stack/**, scripts/commands/**, scripts/run.mjs, scripts/data-folder.ts, scripts/ports.ts
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";
import { ENCRYPTION_KEYS } from "../../helpers/encryption-keys.ts";
import { runNode, runScript } from "./script-process.ts";

const OTHER_KEYS = `k1:${Buffer.alloc(32, 9).toString("base64")}`;
const NOWHERE = "postgres://u:canary@127.0.0.1:1/x";

let folder: string;
let database: TestDatabase;
let taken: Server;
let port: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "stopwatch-bad-"));
  await writeFile(join(folder, "file"), "");
  await writeFile(join(folder, "postgres.json"), "{");
  database = await createTestDatabase();
  const key = runScript("account", ["create", "--email", "a@example.com"], own({}));
  expect(await key.exited).toBe(0);
  const dispatcher = runNode(["dispatcher/main.ts"], own({ DISPATCHER_PORT: "0" }));
  await new Promise((resolve) => dispatcher.child.stdout?.on("data", resolve));
  dispatcher.child.kill("SIGTERM");
  await dispatcher.exited;
  taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  port = String((taken.address() as { port: number }).port);
});
afterAll(async () => {
  await new Promise((resolve) => taken.close(resolve));
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const own = (more: Record<string, string>) => ({ DATABASE_URL: database.url, ENCRYPTION_KEYS, ...more });

type Command = "start" | "web" | "dispatcher" | "migrate" | "account";

/** Runs a command to its end. Returns its exit code, and the lines that it wrote but for those of a good beginning. */
async function run(command: Command, settings: Record<string, string>): Promise<[number | null, string[]]> {
  const all = { DATA_DIR: join(folder, "data"), PORT: "0", DISPATCHER_PORT: "0", ...settings };
  const script =
    command === "dispatcher"
      ? runNode(["dispatcher/main.ts"], all)
      : runScript(command, command === "account" ? ["list"] : [], all);
  const code = await script.exited;
  const lines = [...script.stdout, ...script.stderr];
  return [code, lines.filter((line) => !/^(stopwatch \| |Stopwatch cannot start:$)/.test(line))];
}

type Fault = [what: string, commands: Command[], settings: () => Record<string, string>, line: RegExp];

const FAULTS: Fault[] = [
  [
    "a missing setting",
    ["web", "dispatcher"],
    () => ({ ENCRYPTION_KEYS }),
    /^DATABASE_URL: expected .*; it is not set$/,
  ],
  [
    "settings that contradict each other",
    ["start", "web", "dispatcher"],
    () => own({ AUTH_GOOGLE_ID: "id" }),
    /^AUTH_GOOGLE_SECRET: expected AUTH_GOOGLE_ID and AUTH_GOOGLE_SECRET, or neither/,
  ],
  [
    "a direct address without the other",
    ["start", "migrate"],
    () => ({ DATABASE_DIRECT_URL: NOWHERE }),
    /^DATABASE_URL: DATABASE_DIRECT_URL needs DATABASE_URL beside it/,
  ],
  [
    "a port that is no number",
    ["start", "web", "dispatcher", "migrate"],
    () => own({ PORT: "70000" }),
    /^PORT: expected a port from 0 to 65535; got "70000"$/,
  ],
  [
    "a port that browsers refuse",
    ["start", "web"],
    () => own({ PORT: "6000" }),
    /^PORT: expected a port to which browsers connect/,
  ],
  [
    "a port of the web part that is taken",
    ["start", "web"],
    () => own({ PORT: port }),
    /^Another program listens on port \d+ on 127\.0\.0\.1: stop it, or set PORT to another port\.$/,
  ],
  [
    "a port of the dispatcher that is taken",
    ["start", "dispatcher"],
    () => own({ DISPATCHER_PORT: port }),
    /^Another program listens on port \d+ on 127\.0\.0\.1: stop it, or set DISPATCHER_PORT to another port\.$/,
  ],
  [
    "one port for both parts",
    ["start"],
    () => own({ PORT: "47811", DISPATCHER_PORT: "47811" }),
    /^The web part and a dispatcher would both listen on port 47811/,
  ],
  [
    "an address of another machine",
    ["start", "web", "dispatcher"],
    () => own({ HOST: "192.0.2.1", PORT: "47812", DISPATCHER_PORT: "47813" }),
    /^192\.0\.2\.1 is no address of this machine: set HOST/,
  ],
  [
    "keys that do not fit the database",
    ["start", "dispatcher"],
    () => own({ ENCRYPTION_KEYS: OTHER_KEYS }),
    /^ENCRYPTION_KEYS does not open what is stored in this database .*give the keys it was made with\.$/,
  ],
  [
    "a database that does not answer",
    ["migrate"],
    () => ({ DATABASE_URL: NOWHERE }),
    /127\.0\.0\.1:1 cannot be reached: .*Start it, or correct its address\.$/,
  ],
  [
    "a password that is wrong",
    ["migrate"],
    () => ({ DATABASE_URL: Object.assign(new URL(database.url), { password: "canary" }).href }),
    /refuses the user stopwatch: correct user and password in its address\.$/,
  ],
  [
    "a database that is not there",
    ["start", "migrate"],
    () => ({ DATABASE_URL: Object.assign(new URL(database.url), { pathname: "/none_of_these" }).href }),
    /^There is no database none_of_these on .*: create it first\.$/,
  ],
  [
    "a data folder that is a file",
    ["start", "migrate", "account"],
    () => ({ DATA_DIR: join(folder, "file") }),
    /file.*DATA_DIR/,
  ],
  [
    "a data folder that is damaged",
    ["start", "migrate"],
    () => ({ DATA_DIR: folder, ENCRYPTION_KEYS }),
    /postgres\.json is damaged: .*DATA_DIR/,
  ],
  ...(process.platform === "linux"
    ? [
        [
          "a place that takes no folders",
          ["start", "migrate", "account"],
          () => ({ DATA_DIR: "/proc/stopwatch" }),
          /^The folder \/proc\/stopwatch cannot be made \(E\w+\): set DATA_DIR to another one\.$/,
        ] satisfies Fault,
      ]
    : []),
];

describe.each(FAULTS)("%s", (_, commands, settings, line) => {
  it.each(commands)("ends %s in one line that says which, and what to do, with exit code 1", async (command) => {
    const [code, lines] = await run(command, settings());
    expect([code, lines]).toEqual([1, [expect.stringMatching(line)]]);
    expect(lines.join()).not.toContain("canary");
  });
});
