// Guards: scripts/stack/**, scripts/commands/start.ts, scripts/commands/web.ts, scripts/aborted.ts, scripts/ports.ts, scripts/stop-signal.ts
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { generateEncryptionKey } from "#domain/cipher.ts";
import { createTestDatabase, type TestDatabase } from "#tests/helpers/database.ts";
import { runNode, runScript } from "./script-process.ts";

let dataDir: string;
let database: TestDatabase;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "stopwatch-start-"));
  database = await createTestDatabase();
});
afterEach(async () => {
  await rm(dataDir, { recursive: true, force: true });
  await database.drop();
});

const settings = () => ({ DATA_DIR: dataDir, DATABASE_URL: database.url, PORT: "0", DISPATCHER_PORT: "0" });

// The supervision of npm start, with parts that only log what happens to them. The web part is ready once the dispatcher has
// run `dispatcher`.
function runAllParts({ dispatcher = "" }) {
  const ends = `process.on("SIGTERM", () => setTimeout(() => { console.log("ended"); process.exit(0); }, 100));`;
  const files = `import { existsSync, writeFileSync } from "node:fs";`;
  const up = JSON.stringify(join(dataDir, "up"));
  const serve = `import { createServer } from "node:http";
    createServer((_, answer) => answer.writeHead(existsSync(${up}) ? 200 : 503).end()).listen(process.env.PORT);`;
  const part = (name: string, program: string) => ({
    name,
    args: ["--input-type=module", "-e", program],
    stopMsMax: 9_000,
  });
  const parts = [
    part("dispatcher", `${files} ${ends} setInterval(() => {}, 1000); ${dispatcher} writeFileSync(${up}, "");`),
    part("web", `${files} ${ends} ${serve}`),
  ];
  return runNode(
    [
      "--input-type=module",
      "-e",
      `import { runAllParts } from "#scripts/stack/all-parts.ts";
       const parts = ${JSON.stringify(parts)};
       process.exitCode = await runAllParts({ verbose: false, parts: (env) => parts.map((part) => ({ ...part, env })) });`,
    ],
    settings(),
  );
}

test.each(["PORT", "DISPATCHER_PORT"])(
  "npm start names a taken %s together with its setting, and starts nothing",
  async (setting) => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as AddressInfo;
    const start = runScript("start", [], { ...settings(), DATABASE_URL: "", [setting]: String(port) });
    expect(await start.exited).toBe(1);
    expect(start.stderr.join("\n")).toMatch(new RegExp(`port ${port} .* set ${setting} to another port`));
    expect(await readdir(dataDir)).toEqual([]);
    taken.close();
  },
);

test("a signal that npm sends twice ends the dispatcher first and then the web part, with exit code 0", async () => {
  const all = runAllParts({});
  await expect
    .poll(() => all.stdout.join("\n"))
    .toMatch(/sign in as \S+ within 15 minutes: http:\/\/localhost:\d+\/v1\/auth\/magic\/verify\?token=/);
  all.child.kill("SIGINT");
  all.child.kill("SIGINT");
  expect(await all.exited).toBe(0);
  expect(all.stdout.slice(-2)).toEqual(["dispatcher | ended", "web | ended"]);
});

test("when a part dies at its first start, npm start names it with its exit code, ends the other parts, and ends with exit code 1", async () => {
  const all = runAllParts({ dispatcher: `console.log("no database"); process.exit(7);` });
  expect(await all.exited).toBe(1);
  expect(all.stderr).toEqual(["The dispatcher ended unexpectedly (exit code 7). Stopping the rest."]);
  expect(all.stdout).toContain("dispatcher | no database");
});

test("a part that ends again and again is given up after five restarts within a minute, in one sentence, with exit code 1", async () => {
  const end = join(dataDir, "end");
  const all = runAllParts({
    dispatcher: `setInterval(() => { if (existsSync(${JSON.stringify(end)})) process.exit(7); }, 20);`,
  });
  await expect.poll(() => all.stdout.join("\n")).toMatch(/ready: http/);
  await writeFile(end, "");
  expect(await all.exited).toBe(1);
  const text = all.stdout.join("\n");
  expect(text.match(/The dispatcher ended \(exit code 7\), and is started again in [\d.]+ s/g)).toEqual(
    [0.25, 0.5, 1, 2, 4].map((s) => `The dispatcher ended (exit code 7), and is started again in ${s} s`),
  );
  expect(all.stderr).toEqual([
    "The dispatcher ended once more (exit code 7) after 5 restarts within a minute: correct what its lines above name, and run this again. Stopping the rest.",
  ]);
});

test("npm start -- --dispatchers 2 runs two dispatchers, each with metrics on a port of its own, and stops both", async () => {
  const all = runNode(
    [
      "--input-type=module",
      "-e",
      `import { runAllParts } from "#scripts/stack/all-parts.ts";
       import { dispatcherParts } from "#scripts/stack/parts.ts";
       const program = "import { createServer } from 'node:http'; createServer((_, answer) => answer.end()).listen(process.env.PORT);";
       process.exitCode = await runAllParts({
         verbose: true,
         dispatchers: 2,
         parts: (env, _web, ports) => {
           console.log("ports", ...ports);
           const web = { name: "web", args: ["--input-type=module", "-e", program], env, stopMsMax: 9_000 };
           return [...dispatcherParts({ ...env, ENCRYPTION_KEYS: "k:${generateEncryptionKey()}" }, ports), web];
         },
       });`,
    ],
    settings(),
  );
  const portsOf = () => /^ports (\d+) (\d+)$/m.exec(all.stdout.join("\n"))?.slice(1) ?? [];
  await expect.poll(portsOf).toHaveLength(2);
  const [first, second] = portsOf();
  expect(first).not.toBe(second);
  for (const port of [first, second]) {
    const health = () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ status }) => status,
        () => "no answer",
      );
    await expect.poll(health).toBe(200);
  }
  all.child.kill("SIGINT");
  expect(await all.exited).toBe(0);
  const lines = all.stdout.join("\n");
  for (const name of ["dispatcher 1", "dispatcher 2"]) expect(lines).toContain(`${name} | `);
});

test("a failing command prints one message, and wrong options give exit code 2", async () => {
  const web = runScript("web", [], { DATA_DIR: dataDir, ENCRYPTION_KEYS: `k:${generateEncryptionKey()}` });
  expect(await web.exited).toBe(1);
  expect(web.stderr).toEqual([expect.stringMatching(/^DATABASE_URL: .* it is not set$/)]);
  const start = runScript("start", ["--prot", "1"], {});
  expect(await start.exited).toBe(2);
  expect(start.stderr[0]).toBe("Unknown option '--prot'.");
  const none = runScript("start", ["--dispatchers", "0"], {});
  expect(await none.exited).toBe(2);
  expect(none.stderr[0]).toBe("--dispatchers needs a whole number from 1 to 8.");
});
