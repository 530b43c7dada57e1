import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";
import { ENCRYPTION_KEYS } from "../../helpers/encryption-keys.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { runNode, runScript, type ScriptProcess } from "./script-process.ts";

let database: TestDatabase;
let folder: string;
let settings: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "stopwatch-secrets-"));
  await writeFile(join(folder, "url"), `${database.url}\n`);
  await writeFile(join(folder, "keys"), ENCRYPTION_KEYS);
  settings = {
    DATABASE_URL_FILE: join(folder, "url"),
    ENCRYPTION_KEYS_FILE: join(folder, "keys"),
    DISPATCHER_PORT: "0",
    DATA_DIR: join(folder, "data"),
  };
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const written = ({ stdout, stderr }: ScriptProcess) => [...stdout, ...stderr].join("\n");

test.each([
  ["migrate", []],
  ["account", ["create", "--email", "files@example.com"]],
  ["reconcile", []],
  ["keys-rotate", ["--dry-run"]],
] as const)("npm run %s works with secrets from files alone, and shows none of them", async (name, args) => {
  const script = runScript(name, [...args], settings);
  expect([await script.exited, written(script)]).toEqual([0, expect.anything()]);
  expect(written(script)).not.toContain(new URL(database.url).password);
});

test("a dispatcher delivers with secrets from files alone", async () => {
  const dispatcher = runNode(["dispatcher/main.ts"], settings);
  await waitFor("the dispatcher delivers", () => dispatcher.stdout.some((line) => line.includes('"delivering"')));
  dispatcher.child.kill("SIGTERM");
  expect(await dispatcher.exited).toBe(0);
});

test("every process refuses a missing file in one line, without a stack, and with exit code 1", async () => {
  const path = join(folder, "none");
  const missing = { ...settings, DATABASE_URL_FILE: path };
  const expected = `DATABASE_URL_FILE: "${path}" does not exist`;
  for (const name of ["migrate", "account", "reconcile", "keys-rotate", "backup", "restore", "start", "web"]) {
    const script = runScript(name, name === "account" ? ["list"] : NEEDS_FOLDER.has(name) ? [folder] : [], missing);
    expect([name, await script.exited, written(script)]).toEqual([name, 1, expected]);
  }
  const dispatcher = runNode(["dispatcher/main.ts"], missing);
  expect(await dispatcher.exited).toBe(1);
  expect(written(dispatcher)).toBe(`Stopwatch cannot start:\n${expected}`);
});

const NEEDS_FOLDER = new Set(["backup", "restore"]);
