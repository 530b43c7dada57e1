import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Connection, connect } from "#db/client.ts";
import { Prefetch } from "#dispatcher/intake/prefetch.ts";
import { type KeyRing, parseKeyRing } from "#domain/cipher.ts";
import { createTestAccount } from "../../helpers/accounts.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";
import { enterLanes } from "../../helpers/lanes.ts";

const ALL_SHARDS = Array.from({ length: 64 }, (_, id) => id);

let database: TestDatabase;
let sql: postgres.Sql;
let connection: Connection;
let keyRing: KeyRing;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = postgres(database.url, { max: 1, onnotice: () => {} });
  connection = connect({ url: database.url, name: "prefetch", connectionsMax: 1 });
  keyRing = parseKeyRing(`k:${randomBytes(32).toString("base64")}`);
});
afterAll(async () => {
  await connection.close();
  await sql.end();
  await database.drop();
});

/** Schedules of `accountId` that are all due `dueInMs` from now, by the clock `nowMs`. */
async function insertDue(accountId: string, rows: number, dueAtMs: number): Promise<string[]> {
  const inserted = await sql`
    INSERT INTO schedules (id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes,
      sealed_bytes, origin)
    SELECT gen_random_uuid(), a.id, 'live', a.shard, false, at, at, 0, 0, 'https://example.com'
    FROM accounts a, generate_series(1, ${rows}), to_timestamp(${dueAtMs}::float8 / 1000) at WHERE a.id = ${accountId}
    RETURNING id`;
  await enterLanes(sql);
  return inserted.map((row) => row.id);
}

describe("reading ahead", () => {
  it("reads each of thousands that are due at one instant once, and what is due behind them in the same shard", async () => {
    const account = await createTestAccount(sql, keyRing);
    const nowMs = Date.now();
    const crowd = await insertDue(account.id, 1_000, nowMs - 1_000);
    const behind = await insertDue(account.id, 3, nowMs - 999);
    const seen: string[] = [];
    const prefetch = new Prefetch({
      database: connection,
      shards: { owned: () => ALL_SHARDS },
      clock: { now: () => nowMs, monotonic: () => 0 },
      intake: { accept: (due) => seen.push(...due.map(({ id }) => id)) },
    });

    const rounds: number[] = [];
    do rounds.push(await prefetch.runOnce());
    while (prefetch.hasMore() && rounds.length < 100);

    expect(rounds.length).toBeGreaterThan(1);
    expect(Math.max(...rounds)).toBeLessThan(500);
    expect(seen.toSorted()).toEqual([...crowd, ...behind].toSorted());
    expect(seen.slice(-3).toSorted()).toEqual(behind.toSorted());
  });

  it.each<[string, (prefetch: Prefetch, shard: number) => void]>([
    ["notices may have been missed", (prefetch) => prefetch.restart()],
    ["many of a shard were created", (prefetch, shard) => prefetch.restartShard(shard)],
  ])("begins anew when %s while it is under way", async (_what, invalidate) => {
    const account = await createTestAccount(sql, keyRing);
    const [row] = await sql`SELECT shard FROM accounts WHERE id = ${account.id}`;
    const nowMs = Date.now();
    const seen: string[] = [];
    let meanwhile: (() => Promise<void>) | undefined;
    const prefetch = new Prefetch({
      database: {
        ...connection,
        async run(deadlineMs, work) {
          const rows = await connection.run(deadlineMs, work);
          await meanwhile?.();
          return rows;
        },
      },
      shards: { owned: () => [row?.shard] },
      clock: { now: () => nowMs, monotonic: () => 0 },
      intake: { accept: (due) => seen.push(...due.map(({ id }) => id)) },
    });
    let created: string[] = [];
    meanwhile = async () => {
      meanwhile = undefined;
      created = await insertDue(account.id, 2, nowMs - 500);
      invalidate(prefetch, row?.shard);
    };

    await prefetch.runOnce();
    expect(seen).not.toEqual(expect.arrayContaining(created));
    await prefetch.runOnce();
    expect(seen).toEqual(expect.arrayContaining(created));
  });
});
