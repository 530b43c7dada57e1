import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { expect, it, onTestFinished } from "vitest";
import { processEnv } from "#config.ts";
import { migrateOwnDatabase } from "#scripts/postgres/migrate-own.ts";
import { startOwnServer } from "#tests/helpers/own-server.ts";

const SCRIPT = new URL("../../../deploy/compose/roles.sh", import.meta.url);
const hasPsql = spawnSync("psql", ["--version"]).status === 0;

it.skipIf(!hasPsql)(
  "the roles of compose.yaml are no superusers: the owner migrates, the service reads and writes rows (skipped without psql)",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "stopwatch-roles-"));
    const server = await startOwnServer();
    onTestFinished(async () => {
      await server.remove();
      await rm(folder, { recursive: true });
    });
    const at = new URL(server.url);
    const admin = postgres(server.url, { max: 1, onnotice: () => {} });
    onTestFinished(() => admin.end());
    await admin`CREATE DATABASE stopwatch_compose`;
    const address = (user: string, password: string) => `postgres://${user}:${password}@${at.host}/stopwatch_compose`;
    const [service, owner] = [address("stopwatch_app", "5e71ce"), address("stopwatch_owner", "0e17e7")];
    await writeFile(join(folder, "database-url"), `${service}\n`);
    await writeFile(join(folder, "database-owner-url"), `${owner}\n`);
    // The names of the image's database and role are taken on this server.
    const script = (await readFile(SCRIPT, "utf8"))
      .replaceAll("/run/secrets", folder)
      .replace("CREATE ROLE stopwatch LOGIN", "CREATE ROLE stopwatch_app LOGIN")
      .replace("ALTER DATABASE stopwatch ", "ALTER DATABASE stopwatch_compose ");
    const env = {
      ...processEnv(),
      NODE_ENV: "test" as const,
      PGHOST: at.hostname,
      PGPORT: at.port,
      PGPASSWORD: decodeURIComponent(at.password),
      POSTGRES_USER: decodeURIComponent(at.username),
      POSTGRES_DB: "stopwatch_compose",
    };
    const made = spawnSync("sh", ["-c", script], { encoding: "utf8", env });
    expect([made.status, made.stderr]).toEqual([0, ""]);
    const roles = await admin`
      SELECT rolname, rolsuper, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname LIKE 'stopwatch\\_%' ORDER BY 1`;
    const plain = { rolsuper: false, rolcreaterole: false, rolcreatedb: false };
    expect(roles).toEqual([
      { rolname: "stopwatch_app", ...plain },
      { rolname: "stopwatch_owner", ...plain },
    ]);

    await migrateOwnDatabase(
      { databaseUrl: service, databaseDirectUrl: service, databaseOwnerUrl: owner },
      { onLog: () => {} },
    );
    const sql = postgres(service, { max: 1, onnotice: () => {} });
    onTestFinished(() => sql.end());
    expect(await sql`SELECT count(*)::integer AS n FROM accounts`).toEqual([{ n: 0 }]);
    await expect(sql`DROP TABLE accounts`).rejects.toMatchObject({ code: "42501" });
  },
);

it("an installation whose service was the superuser gets a plain role as docs/upgrades.md says, and keeps its rows", async () => {
  const server = await startOwnServer();
  onTestFinished(() => server.remove());
  const admin = postgres(server.url, { max: 1, onnotice: () => {} });
  onTestFinished(() => admin.end());
  await admin`CREATE DATABASE stopwatch_former`;
  const at = new URL(server.url);
  at.pathname = "/stopwatch_former";
  const owner = at.href;
  const before = { databaseUrl: owner, databaseDirectUrl: owner, databaseOwnerUrl: owner };
  await migrateOwnDatabase(before, { onLog: () => {} });
  const former = postgres(owner, { max: 1, onnotice: () => {} });
  onTestFinished(() => former.end());
  await former`INSERT INTO accounts (id, email, plan) VALUES (gen_random_uuid(), 'former@example.com', 'free')`;

  const page = await readFile(new URL("../../../docs/upgrades.md", import.meta.url), "utf8");
  const [, role = ""] = /--command "(CREATE ROLE stopwatch_app [^"]+)"/.exec(page) ?? [];
  await former.unsafe(role.replace("$password", "5e71ce"));
  Object.assign(at, { username: "stopwatch_app", password: "5e71ce" });
  const service = at.href;
  const after = { databaseUrl: service, databaseDirectUrl: service, databaseOwnerUrl: owner };
  await migrateOwnDatabase(after, { onLog: () => {} });
  const sql = postgres(service, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());
  expect(await sql`SELECT email FROM accounts`).toEqual([{ email: "former@example.com" }]);
  await sql`UPDATE accounts SET email = 'later@example.com'`;
  await expect(sql`DROP TABLE accounts`).rejects.toMatchObject({ code: "42501" });
});
