import { afterAll, beforeAll, expect, it } from "vitest";
import { readCopies } from "#db/queries/schedules/copies.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";
import { nodesOf, watchStatements } from "../../helpers/statements.ts";

const [REQUESTS, COPIES] = [20_000, 3_000];

/** Schedule n, an id that sorts by n. */
const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const OWN = { accountId: id(1), env: "live" } as const;
const [UNCOPIED, COPIED_TWICE, COPIED_OFTEN] = [id(10), id(11), id(12)];

let database: TestDatabase;
let watched: ReturnType<typeof watchStatements>;

/** Requests of one account, of which two are copies of one schedule and 3,000 of another one. */
beforeAll(async () => {
  database = await createTestDatabase();
  watched = watchStatements(database.url);
  const { sql } = watched;
  await sql`INSERT INTO accounts (id, email, plan) SELECT ${OWN.accountId}, 'copies@example.com', 'indie'`;
  await sql`
    INSERT INTO schedule_requests (schedule_id, account_id, env, target_url, method, request_hash, replay_of)
    SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, ${OWN.accountId}, 'live', 'https://example.com/' || n,
      'POST', '\\x00', CASE WHEN n <= ${COPIES} + 100 THEN ${COPIED_OFTEN}::uuid WHEN n > ${REQUESTS} - 2 THEN ${COPIED_TWICE}::uuid END
    FROM generate_series(101, ${REQUESTS}::int) n`;
  await sql`
    INSERT INTO schedules (id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin)
    SELECT schedule_id, account_id, env, 1, false, now(), now(), 0, 0, 'https://example.com' FROM schedule_requests`;
});
afterAll(async () => {
  await watched?.close();
  await database?.drop();
});

it("a schedule that was not copied has no copies", async () => {
  expect(await readCopies(watched.sql, OWN, UNCOPIED)).toEqual({ newest: [], count: 0, isCapped: false });
});

it("the copies of a schedule are listed with their status, newest first", async () => {
  await watched.sql`
    UPDATE schedules SET status = 'cancelled', next_attempt_at = NULL, ended_at = now() WHERE id = ${id(REQUESTS)}`;
  expect(await readCopies(watched.sql, OWN, COPIED_TWICE)).toEqual({
    newest: [
      { id: id(REQUESTS), status: "cancelled" },
      { id: id(REQUESTS - 1), status: "scheduled" },
    ],
    count: 2,
    isCapped: false,
  });
});

it("of many copies the newest five are listed, and 1,000 are counted", async () => {
  const { newest, ...counted } = await readCopies(watched.sql, OWN, COPIED_OFTEN);
  expect(newest.map((copy) => copy.id)).toEqual([0, 1, 2, 3, 4].map((n) => id(COPIES + 100 - n)));
  expect(counted).toEqual({ count: 1_000, isCapped: true });
});

it("the copies of a schedule of another account or environment are not listed", async () => {
  expect(await readCopies(watched.sql, { ...OWN, env: "test" }, COPIED_TWICE)).toMatchObject({ count: 0 });
  expect(await readCopies(watched.sql, { ...OWN, accountId: id(2) }, COPIED_TWICE)).toMatchObject({ count: 0 });
});

it.each([
  ["without statistics", async () => {}],
  ["with statistics", async () => watched.sql`ANALYZE`],
])("only copies of the schedule are read, by their index, 1,001 at most: %s", async (_, prepare) => {
  await prepare();
  for (const original of [UNCOPIED, COPIED_TWICE, COPIED_OFTEN]) {
    const { plans } = await watched.explainAll(await watched.of(() => readCopies(watched.sql, OWN, original)));
    const scans = plans.flatMap(nodesOf).filter((node) => node["Relation Name"] === "schedule_requests");
    expect(scans.map((scan) => scan["Index Name"])).toEqual(["schedule_requests_copies"]);
    for (const scan of scans) {
      expect(scan["Actual Rows"]).toBeLessThanOrEqual(1_001);
      expect(scan["Rows Removed by Filter"] ?? 0).toBe(0);
    }
  }
});
