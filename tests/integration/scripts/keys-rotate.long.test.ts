// Guards: scripts/keys/**, domain/cipher.ts, db/queries/fleet/**, scripts/commands/keys-rotate.ts
// Final: its verdict is about which values were kept, and can be opened.
import postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { connect, type Database } from "#db/client.ts";
import { readSealedPairs, replaceSealedPair } from "#db/queries/accounts/re-encrypt.ts";
import { assertKeyRingOpens, readRequestHashKey } from "#db/queries/fleet/instance-secrets.ts";
import { readSealedHeads, replaceSealedRequests } from "#db/queries/schedules/re-encrypt.ts";
import { instanceAad, rotationAad, secretAad } from "#domain/associated-data.ts";
import { generateEncryptionKey, type KeyRing, open, parseKeyRing, seal } from "#domain/cipher.ts";
import { openRequest } from "#domain/sealed-request.ts";
import { type Progress, reEncrypt } from "#scripts/keys/re-encrypt.ts";
import { startReceiver } from "#scripts/lab/receiver.ts";
import { createTestAccount, type TestAccount } from "#tests/helpers/accounts.ts";
import { createTestDatabase, type TestDatabase } from "#tests/helpers/database.ts";
import { createDispatchHarness } from "#tests/helpers/dispatch-harness.ts";
import { createTestSchedule } from "#tests/helpers/schedules.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";
import { runScript } from "./script-process.ts";

const NIL = "00000000-0000-0000-0000-000000000000";
const TO_EXAMPLE = { env: "live", method: "POST", targetUrl: "https://example.com/" } as const;
const [k1, k2] = [`k1:${generateEncryptionKey()}`, `the-new-one:${generateEncryptionKey()}`] as const;
const old = parseKeyRing(k1);
const both = parseKeyRing(`${k2},${k1}`);
const back = parseKeyRing(`${k1},${k2}`);

let test: TestDatabase;
let sql: postgres.Sql;
let database: Database;
let account: TestAccount;

beforeAll(async () => {
  test = await createTestDatabase();
  sql = postgres(test.url, { max: 4, onnotice: () => {} });
  database = connect({ url: test.url, name: "reEncrypt", connectionsMax: 1 });
});
afterAll(async () => {
  await database.close();
  await sql.end();
  await test.drop();
});
beforeEach(async () => {
  await sql`TRUNCATE schedules, schedule_requests, instance_secrets, accounts CASCADE`;
  account = await createTestAccount(sql, old);
  await assertKeyRingOpens(sql, old);
  await readRequestHashKey(sql, old);
});

const run = (ring: KeyRing = both, options: { dryRun?: boolean; onProgress?: (progress: Progress) => unknown } = {}) =>
  reEncrypt({
    database,
    ring,
    dryRun: options.dryRun ?? false,
    onProgress: (progress) => options.onProgress?.(progress),
  });
const schedule = (payload: string | null, ring: KeyRing = old) =>
  createTestSchedule(sql, ring, account.id, "https://example.com/", new Date(Date.now() + 3_600_000), { payload });

/** Stores what a rotation with this idempotency key answered. */
const keepRotation = (key: string) => {
  const sealed = seal(old, Buffer.from(`pair of ${key}`), rotationAad(account.id, "live"));
  return sql`INSERT INTO secret_rotations VALUES (${account.id}, 'live', ${key}, ${sealed}, now())`;
};

/** Every sealed value, opened, with what it belongs to. `ring` must contain every key. */
async function everything(ring: KeyRing = both) {
  const plain = (sealed: Buffer | null, aad: string) => sealed && open(ring, sealed, aad).toString("base64");
  const requests = await sql`SELECT schedule_id, account_id, env, method, target_url, sealed FROM schedule_requests`;
  const pairs = await sql`SELECT account_id, env, current, next, former FROM signing_secrets`;
  const rotations = await sql`SELECT account_id, env, idempotency_key, sealed FROM secret_rotations`;
  const secrets = await sql`SELECT name, sealed FROM instance_secrets`;
  return Object.fromEntries([
    ...requests.map(({ schedule_id: id, account_id: accountId, env, method, target_url: targetUrl, sealed }) => [
      id,
      sealed && openRequest(ring, sealed, { id, accountId, env, method, targetUrl }).toString("base64"),
    ]),
    ...pairs.map((row) => [
      `${row.account_id} ${row.env}`,
      [row.current, row.next, row.former].map((sealed) => plain(sealed, secretAad(row.account_id, row.env))),
    ]),
    ...rotations.map((row) => [
      `${row.account_id} ${row.env} ${row.idempotency_key}`,
      plain(row.sealed, rotationAad(row.account_id, row.env)),
    ]),
    ...secrets.map((row) => [row.name, plain(row.sealed, instanceAad(row.name))]),
  ]);
}

describe("reEncrypt", () => {
  it("keeps every value and seals it with the first key alone", async () => {
    for (const payload of ["one", null, "x".repeat(262_144), "\u0000"]) await schedule(payload);
    await sql`UPDATE signing_secrets SET former = next WHERE env = 'live'`;
    for (const key of ["a", "b"]) await keepRotation(key);
    const before = await everything();
    expect(await run()).toEqual({ byKey: new Map([["the-new-one", 3 + 5 + 2 + 2]]), unopenable: [] });
    expect(await everything(parseKeyRing(k2))).toEqual(before);
  });

  it("changes nothing in a dry run, and counts the values of each key", async () => {
    await schedule("one");
    await schedule("two", both);
    const before = await sql`SELECT sealed FROM schedule_requests ORDER BY schedule_id`;
    expect(await run(both, { dryRun: true })).toEqual({
      byKey: new Map([
        ["k1", 2 + 4 + 1],
        ["the-new-one", 1],
      ]),
      unopenable: [],
    });
    expect(await sql`SELECT sealed FROM schedule_requests ORDER BY schedule_id`).toEqual(before);
  });

  it("continues where it was stopped, and re-encrypts nothing twice", async () => {
    for (let n = 0; n < 1_100; n++) await schedule(`payload ${n}`);
    const before = await everything();
    const ended = new Error("ended");
    const first = run(both, {
      onProgress: ({ reEncrypted }) => {
        if (reEncrypted > 500) throw ended;
      },
    });
    await expect(first).rejects.toBe(ended);
    const reEncrypted = Math.max(...(await finished()));
    expect(reEncrypted).toBeGreaterThan(0);
    expect(reEncrypted).toBeLessThan(200);
    expect(await everything(parseKeyRing(k2))).toEqual(before);

    async function finished() {
      const seen: number[] = [];
      await run(both, { onProgress: (progress) => seen.push(progress.reEncrypted) });
      return seen;
    }
  });

  it("loses nothing when two processes run it at once, in either direction", async () => {
    for (let n = 0; n < 300; n++) await schedule(`payload ${n}`);
    const before = await everything();
    const other = connect({ url: test.url, name: "reEncrypt", connectionsMax: 1 });
    await Promise.all([run(), reEncrypt({ database: other, ring: back, dryRun: false, onProgress: () => {} }), run()]);
    await other.close();
    expect(await everything()).toEqual(before);
    expect((await run()).byKey).toEqual(new Map([["the-new-one", 306]]));
  });

  it("processes large payloads a few at a time", async () => {
    for (let n = 0; n < 40; n++) await schedule(`${n} `.padEnd(262_144, "x"));
    const before = await everything();
    await run();
    expect(await everything(parseKeyRing(k2))).toEqual(before);
  });

  it("reports values that a process sealed with another key meanwhile", async () => {
    const busy: Database = {
      ...database,
      async run(deadlineMs, work) {
        await schedule("meanwhile");
        return database.run(deadlineMs, work);
      },
    };
    const survey = await reEncrypt({ database: busy, ring: both, dryRun: false, onProgress: () => {} });
    expect(survey.byKey.get("k1")).toBeGreaterThan(0);
  });

  it("names what it cannot open, leaves it unchanged, and re-encrypts the rest", async () => {
    const [strange, corrupted] = [
      await schedule("a", parseKeyRing(`gone:${generateEncryptionKey()}`)),
      await schedule("b"),
    ];
    await sql`UPDATE schedule_requests SET sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1) WHERE schedule_id = ${corrupted}`;
    const whole = await schedule("c");
    const { byKey, unopenable } = await run();
    expect(byKey).toEqual(
      new Map([
        ["the-new-one", 2 + 4 + 1],
        ["gone", 1],
        ["k1", 1],
      ]),
    );
    expect(unopenable).toHaveLength(2);
    expect(unopenable.join()).toMatch(new RegExp(`${strange}.*"gone".*${corrupted}.*corrupted`));
    const [row] = await sql`SELECT sealed FROM schedule_requests WHERE schedule_id = ${whole}`;
    expect(
      openRequest(parseKeyRing(k2), row?.sealed, { accountId: account.id, id: whole, ...TO_EXAMPLE }).length,
    ).toBeGreaterThan(0);
  });
});

describe("while keys are re-encrypted,", () => {
  it("a request that is erased after it was read stays erased", async () => {
    const id = await schedule("secret");
    const { requests } = await readSealedHeads(sql, NIL, 10);
    await sql`UPDATE schedule_requests SET sealed = NULL, erased_at = now() WHERE schedule_id = ${id}`;
    const head = requests[0]?.head ?? "";
    expect(await replaceSealedRequests(sql, [{ id, head, sealed: "AAAA" }])).toBe(0);
    const [row] = await sql`SELECT sealed FROM schedule_requests WHERE schedule_id = ${id}`;
    expect(row?.sealed).toBeNull();
  });

  it("secrets that are rotated after they were read keep their new values", async () => {
    const [pair] = await readSealedPairs(sql, { account_id: account.id, env: "" }, 1);
    if (!pair) throw new Error("there is no pair");
    await sql`UPDATE signing_secrets SET former = current, current = next WHERE account_id = ${account.id} AND env = ${pair.env}`;
    const before = await everything();
    expect(await replaceSealedPair(sql, pair, pair)).toBe(0);
    expect(await everything()).toEqual(before);
  });

  it("no rotation of a secret is lost, however many there are", async () => {
    const sealed = (text: string, ring: KeyRing) => seal(ring, Buffer.from(text), secretAad(account.id, "live"));
    const texts = Array.from({ length: 60 }, (_, n) => `secret ${n}`);
    let done = false;
    const reEncrypting = (async () => {
      for (let n = 0; !done; n++) await run(n % 2 ? both : back);
    })();
    for (const [n, text] of texts.entries()) {
      await sql`
        UPDATE signing_secrets SET former = current, current = next, next = ${sealed(text, n % 2 ? both : back)}
        WHERE account_id = ${account.id} AND env = 'live'`;
    }
    done = true;
    await reEncrypting;
    const kept = (await everything())[`${account.id} live`].map((one: string) => Buffer.from(one, "base64").toString());
    expect(kept).toEqual(["secret 58", "secret 59", "secret 57"]);
  });

  it("a dispatcher with both keys delivers every schedule once with its own payload, however often the keys change", async () => {
    const receiver = await startReceiver({ tls: false });
    const harness = await createDispatchHarness({ DELIVERY_ALLOW: receiver.origin, ENCRYPTION_KEYS: `${k1},${k2}` });
    const connection = connect({ url: harness.databaseUrl, name: "reEncrypt", connectionsMax: 1 });
    try {
      const owner = await harness.account();
      await harness.dispatcher();
      const due = Date.now() + 2_000;
      const ids = await Promise.all(
        Array.from({ length: 60 }, (_, n) =>
          harness.schedule(owner, `${receiver.origin}/`, new Date(due + n * 40), { payload: `payload ${n}` }),
        ),
      );
      let changes = 0;
      for (; receiver.requests.length < ids.length && changes < 10_000; changes++)
        await reEncrypt({ database: connection, ring: changes % 2 ? back : both, dryRun: false, onProgress: () => {} });
      expect(changes).toBeGreaterThan(5);
      await waitFor("all are recorded", async () => {
        const [row] =
          await harness.sql`SELECT count(*)::int AS n FROM schedules WHERE status = 'succeeded' AND attempts = 1`;
        return row?.n === ids.length;
      });
      const bodies = receiver.requests.map(({ body }) => body.toString());
      expect(bodies.sort()).toEqual(ids.map((_, n) => `payload ${n}`).sort());
    } finally {
      await connection.close();
      await harness.close();
      await receiver.close();
    }
  });
});

describe("npm run keys:rotate", () => {
  const rotate = async (keys: string, ...args: string[]) => {
    const process = runScript("keys-rotate", args, { DATABASE_URL: test.url, ENCRYPTION_KEYS: keys });
    return { code: await process.exited, stdout: process.stdout, stderr: process.stderr };
  };

  it("says at its end which keys may be removed", async () => {
    await schedule("one");
    expect(await rotate(`${k2},${k1}`)).toEqual({
      code: 0,
      stdout: [
        "the-new-one has encrypted 7 values and is the key that writes.",
        "k1 is not used by anything and may be removed from ENCRYPTION_KEYS.",
      ],
      stderr: [],
    });
    expect((await rotate(k2)).code).toBe(0);
  });

  it("says with --dry-run how many values need each key", async () => {
    await schedule("one");
    expect(await rotate(`${k2},${k1}`, "--dry-run")).toEqual({
      code: 0,
      stdout: ["the-new-one has encrypted 0 values and is the key that writes.", "k1 has encrypted 7 values: keep it."],
      stderr: [],
    });
  });

  it("ends with exit code 1 and names what it could not open, without any part of the values", async () => {
    const id = await schedule("one", parseKeyRing(`gone:${generateEncryptionKey()}`));
    const { code, stdout, stderr } = await rotate(`${k2},${k1}`);
    expect(code).toBe(1);
    expect(stdout.at(-1)).toBe("gone, not in ENCRYPTION_KEYS, has encrypted 1 values.");
    expect(stderr).toEqual([expect.stringContaining(id)]);
  });

  it("refuses keys that do not open the database, with an error that says so", async () => {
    const { code, stderr } = await rotate(k2);
    expect(code).toBe(1);
    expect(stderr.join("\n")).toMatch(/^ENCRYPTION_KEYS does not open what is stored/);
  });

  it("explains with --help in which order to rotate keys", async () => {
    const { code, stdout } = await rotate("", "--help");
    expect(code).toBe(0);
    expect(stdout.join("\n")).toMatch(/1\. Append the new key.*\n.*\n.*2\. Put it first/);
  });
});
