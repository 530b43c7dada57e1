// Guards: scripts/account/**, scripts/commands/account.ts, scripts/command.ts, server/admin/**
import postgres from "postgres";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseApiKey } from "#domain/api-key.ts";
import { generateEncryptionKey } from "#domain/cipher.ts";
import { hashSessionToken } from "#domain/session-token.ts";
import { createTestDatabase, type TestDatabase } from "#tests/helpers/database.ts";
import { runScript } from "./script-process.ts";

let database: TestDatabase;
const keys = `k1:${generateEncryptionKey()}`;

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

async function account(...args: string[]) {
  const settings = { DATABASE_URL: database.url, ENCRYPTION_KEYS: keys, ADMIN_EMAILS: "root@example.com" };
  const run = runScript("account", args, settings);
  return { code: await run.exited, stdout: run.stdout, stderr: run.stderr };
}

async function read(...query: Parameters<postgres.Sql>) {
  const sql = postgres(database.url, { max: 1 });
  try {
    return [...(await sql(...query))];
  } finally {
    await sql.end();
  }
}

test("npm run account prints exactly one JSON object, with a key when one was requested", async () => {
  const { code, stdout } = await account("create", "--email", "Ada@Example.com", "--plan", "indie", "--key", "live");
  expect(code).toBe(0);
  expect(stdout).toHaveLength(1);
  const made = JSON.parse(stdout[0] as string);
  expect(made).toEqual({
    accountId: expect.stringMatching(/^acc_[0-9a-z]{26}$/),
    email: "ada@example.com",
    plan: "indie",
    key: expect.any(String),
  });
  expect(parseApiKey(made.key)).toEqual({ env: "live" });
});

test("npm run account finds the same account by an address in another letter case, and makes no key without a request", async () => {
  const first = await account("create", "--email", "ada@example.com");
  const second = await account("create", "--email", "ADA@example.com");
  expect(second).toEqual(first);
  expect(Object.keys(JSON.parse(first.stdout[0] as string))).toEqual(["accountId", "email", "plan"]);
});

test("npm run account prints a session when one was requested, which lasts seven days and is stored only as a hash", async () => {
  const { stdout } = await account("create", "--email", "ada@example.com", "--session");
  const { session } = JSON.parse(stdout[0] as string);
  const rows = await read`
    SELECT token_hash, extract(epoch FROM expires_at - now()) / 86400 AS days, email_verified_at AS verified
    FROM sessions JOIN accounts ON accounts.id = account_id`;
  expect(rows).toEqual([{ token_hash: hashSessionToken(session), days: expect.any(String), verified: null }]);
  expect(Number(rows[0]?.days)).toBeCloseTo(7, 2);
});

test("npm run account makes an admin's address count as verified, and warns when ADMIN_EMAILS does not name it", async () => {
  const named = await account("create", "--email", "Root@example.com", "--admin", "--session");
  const unnamed = await account("create", "--email", "ada@example.com", "--admin");
  expect([named.code, named.stderr]).toEqual([0, []]);
  expect(Object.keys(JSON.parse(named.stdout[0] as string))).toEqual(["accountId", "email", "plan", "session"]);
  expect(unnamed.stderr).toEqual([
    "ADMIN_EMAILS of this command does not name ada@example.com. The web part decides by its own: add it there, and start the web part again.",
  ]);
  expect(await read`SELECT 1 FROM accounts WHERE email_verified_at IS NOT NULL`).toHaveLength(2);
});

test("npm run account leaves the plan of an existing account, prints it, and says so when another plan was requested", async () => {
  await account("create", "--email", "ada@example.com");
  const { stdout, stderr } = await account("create", "--email", "ada@example.com", "--plan", "indie");
  expect(JSON.parse(stdout[0] as string).plan).toBe("free");
  expect(stderr).toEqual(["ada@example.com has an account already, on free."]);
});

test.each([
  [["create"], /--email is missing/],
  [["create", "--email", "nobody"], /not an e-mail address/],
  [["create", "--email", "\u212Aim@example.com"], /not an e-mail address/],
  [["create", "--email", "a@example.com", "--plan", "gold"], /--plan is free or indie/],
  [["remove", "--email", "a@example.com"], /The actions are create, list, show, plan, deactivate, reactivate, log/],
  [["__proto__"], /The actions are create/],
  [["show", "--email", "a@example.com", "--id", "acc_1"], /either --email or --id/],
  [["plan", "--email", "a@example.com"], /--plan free or --plan indie is needed/],
])("npm run account refuses %j with exit code 2 and an empty standard output", async (args, message) => {
  const { code, stdout, stderr } = await account(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: [] });
  expect(stderr.join("\n")).toMatch(message);
});

test("what an operator grants is in the audit log: an account, a key, a session and a verified address, each once", async () => {
  const grant = ["create", "--email", "root@example.com", "--key", "live", "--session", "--admin"];
  for (let n = 0; n < 2; n++) expect(await account(...grant)).toMatchObject({ code: 0 });
  const { stdout } = await account("log", "--email", "root@example.com");
  const { items } = JSON.parse(stdout[0] as string);
  const acts = items.map(({ action, after }: { action: string; after: object }) => [action, after]);
  expect(acts.toReversed()).toEqual([
    ["create", { plan: "free" }],
    ["verify_email", {}],
    ["start_session", {}],
    ["make_api_key", { env: "live" }],
    ["start_session", {}],
    ["make_api_key", { env: "live" }],
  ]);
});

test("an operator can find accounts, set plans, deactivate and reactivate, and each of these acts is in the audit log", async () => {
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await account(...args);
    expect(code, stderr.join("\n")).toBe(0);
    return JSON.parse(stdout[0] as string);
  };
  const { accountId } = await json("create", "--email", "ada@example.com");
  await json("create", "--email", "bob@example.com");
  expect((await json("list", "--q", "ADA")).items).toMatchObject([{ id: accountId, plan: "free", status: "active" }]);
  expect(await json("plan", "--email", "Ada@example.com", "--plan", "indie")).toMatchObject({ plan: "indie" });
  expect(await json("deactivate", "--id", accountId)).toMatchObject({ status: "deactivated" });
  expect(await json("reactivate", "--email", "ada@example.com")).toMatchObject({ id: accountId, status: "active" });
  const { items } = await json("log", "--email", "ada@example.com");
  expect(items.map(({ action, actor }: { action: string; actor: { kind: string } }) => [action, actor.kind])).toEqual([
    ["reactivate", "operator"],
    ["deactivate", "operator"],
    ["set_plan", "operator"],
    ["create", "operator"],
  ]);
  expect((await json("show", "--id", accountId)).live.usage.limit).toBe(50_000);

  const unknown = await account("plan", "--email", "nobody@example.com", "--plan", "indie");
  expect(unknown).toMatchObject({ code: 1, stdout: [], stderr: ["There is no such account."] });
});
