// Guards: db/migrations/**, db/functions/**, docs/own-database.md
import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { expect, it, onTestFinished } from "vitest";
import { startReceiver } from "#scripts/lab/receiver.ts";
import { createTestDatabase } from "../../helpers/database.ts";
import { ENCRYPTION_KEYS } from "../../helpers/encryption-keys.ts";
import { documentedGrants } from "../../helpers/service-role.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { startWebProcess } from "../../helpers/web-process.ts";
import { runNode, runScript } from "../scripts/script-process.ts";

const DAY_MS = 86_400_000;
const partition = (days: number) =>
  `attempts_${new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10).replaceAll("-", "")}`;

it("a role with the documented grants alone serves the API, delivers, and makes and drops the daily tables of attempts", async () => {
  const database = await createTestDatabase();
  const owner = postgres(database.url, { max: 1, onnotice: () => {} });
  const role = `svc_${randomBytes(6).toString("hex")}`;
  await owner.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD '${role}'`);
  onTestFinished(async () => {
    await owner.unsafe(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await owner.end();
    await database.drop();
  });
  await owner.unsafe(`REVOKE ALL ON SCHEMA public FROM PUBLIC; ${documentedGrants(role)}`);
  // At midnight the last of these days has no table yet.
  await owner.unsafe(`DROP TABLE IF EXISTS ${partition(0)}, ${partition(7)}`);
  await owner`SELECT make_attempt_partitions((now() AT TIME ZONE 'utc')::date - 100, 1)`;
  const receiver = await startReceiver({ tls: false });
  onTestFinished(() => receiver.close());
  const settings = {
    DATABASE_URL: Object.assign(new URL(database.url), { username: role, password: role }).href,
    ENCRYPTION_KEYS,
    DELIVERY_ALLOW: receiver.origin,
    DISPATCHER_PORT: "0",
  };

  const web = await startWebProcess(settings);
  onTestFinished(() => web.stop());
  const dispatcher = runNode(["dispatcher/main.ts"], { ...settings, LOG_LEVEL: "warn" });
  onTestFinished(async () => {
    dispatcher.child.kill("SIGTERM");
    await dispatcher.exited;
  });
  const account = runScript("account", ["create", "--email", "ada@example.com", "--key", "live"], settings);
  expect(await account.exited, account.stderr.join("\n")).toBe(0);
  const { key } = JSON.parse(account.stdout[0] as string);
  const authorization = `Bearer ${key}`;

  const created = await fetch(`${web.origin}/v1/schedules`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ targetUrl: `${receiver.origin}/hook`, fireIn: "1s", payload: "a payload" }),
  });
  expect(created.status).toBe(201);
  const { id } = (await created.json()) as { id: string };
  const read = async (path = "") =>
    (await fetch(`${web.origin}/v1/schedules/${id}${path}`, { headers: { authorization } })).json();
  // The API limits calls a minute.
  const status = async () => (await owner`SELECT status FROM schedules`)[0]?.status;
  await waitFor("it is delivered", async () => (await status()) === "succeeded", 60_000);
  expect((await read()).status).toBe("succeeded");
  expect(receiver.requests.map(({ path }) => path)).toEqual(["/hook"]);

  const tables = async () => (await owner`SELECT relname AS name FROM pg_class`).map(({ name }) => name as string);
  await waitFor("the tables of today and of the days ahead are made, the old one is dropped", async () => {
    const names = await tables();
    return names.includes(partition(0)) && names.includes(partition(7)) && !names.includes(partition(-100));
  });
  expect((await read("/attempts")).items).toHaveLength(1);
  expect([...dispatcher.stdout, ...dispatcher.stderr].filter((line) => /failed|denied/.test(line))).toEqual([]);
});
