import pino from "pino";
import postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readConfig } from "#config.ts";
import { readServerVersion } from "#db/queries/fleet/server-version.ts";
import { untilReady } from "#dispatcher/ready.ts";
import { generateEncryptionKey } from "#domain/cipher.ts";
import { securityNotice } from "#domain/postgres-releases.ts";
import { createTestDatabase, type TestDatabase } from "#tests/helpers/database.ts";
import { runNode, runScript } from "./script-process.ts";

let database: TestDatabase;
let sql: postgres.Sql;
let settings: Record<string, string>;
/** What is to be logged, once. Nothing when the server of this run has the fixes. */
let notices: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  sql = postgres(database.url, { max: 1, onnotice: () => {} });
  settings = { DATABASE_URL: database.url, ENCRYPTION_KEYS: `k1:${generateEncryptionKey()}`, LOG_LEVEL: "warn" };
  notices = [securityNotice(await readServerVersion(sql)) ?? []].flat();
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

const aboutServer = (lines: string[]) => lines.filter((line) => /the database is PostgreSQL/.test(line));

it("the version of the server is read as it says it is", async () => {
  const { number, text } = await readServerVersion(sql);
  const [row] = await sql`SHOW server_version_num`;
  expect(number).toBe(Number(row?.server_version_num));
  expect(text).toMatch(/^\d+(\.\d+|beta\d+|rc\d+|devel)/);
});

it("a dispatcher that starts on a server without known security fixes logs it once", async () => {
  const lines: string[] = [];
  await untilReady(readConfig(settings), pino({ level: "warn" }, { write: (line) => lines.push(line) }));
  expect(aboutServer(lines).map((line) => JSON.parse(line).msg)).toEqual(notices);
});

it("a web process that starts on such a server logs it once", async () => {
  const program = `import { start } from "#server/start.ts"; import { getServices } from "#server/services.ts";
    await start(); await getServices().close();`;
  const web = runNode(["--input-type=module", "-e", program], { ...settings, NODE_ENV: "production" });
  expect(await web.exited).toBe(0);
  expect(aboutServer(web.stdout).map((line) => JSON.parse(line).msg)).toEqual(notices);
});

it("npm run migrate says it once", async () => {
  const migrate = runScript("migrate", [], settings);
  expect(await migrate.exited).toBe(0);
  expect(aboutServer(migrate.stdout)).toEqual(notices.map((notice) => `warning: ${notice}.`));
});
