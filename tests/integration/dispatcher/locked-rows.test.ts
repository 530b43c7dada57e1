// Final: its verdict is about what was recorded.
import postgres from "postgres";
import { describe, expect, it, onTestFinished } from "vitest";
import { groupDeadSchedules } from "#db/queries/notices/death-groups.ts";
import { releaseSchedules } from "#db/queries/schedules/release.ts";
import type { Receiver } from "#scripts/lab/receiver.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { HELD_TRANSACTIONS } from "../../helpers/held-transactions.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withDispatchHarness } from "../../helpers/with-dispatch-harness.ts";

let receiver: Receiver;
let harness: DispatchHarness;

withDispatchHarness({ hasDispatcher: true }, (made) => {
  ({ receiver, harness } = made);
});

/** A session that keeps what `work` locks until the test says `end`, or is over. */
async function lock(work: (sql: postgres.Sql) => Promise<unknown>): Promise<{ end(): Promise<void> }> {
  const sql = postgres(harness.databaseUrl, { max: 1, onnotice: () => {}, connection: HELD_TRANSACTIONS });
  // A server notices only later that a client is gone. The answer to ROLLBACK says that the lock is.
  const end = async () => {
    await sql`ROLLBACK`.catch(() => {});
    await sql.end({ timeout: 0 });
  };
  onTestFinished(end);
  await sql`BEGIN`;
  await work(sql);
  return { end };
}

const statusesOf = async (ids: string[]) => {
  const rows = await harness.sql`SELECT status FROM schedules WHERE id IN ${harness.sql(ids)}`;
  return rows.map(({ status }) => status);
};

const areDelivered = async (ids: string[]) => (await statusesOf(ids)).every((status) => status === "succeeded");

/** Accounts with five schedules each that are due now. */
async function fire(accounts: Awaited<ReturnType<DispatchHarness["account"]>>[]): Promise<string[][]> {
  return Promise.all(
    accounts.map((account) =>
      Promise.all(Array.from({ length: 5 }, () => harness.schedule(account, `${receiver.origin}/`, null))),
    ),
  );
}

describe("while a session of somebody else keeps a lock,", () => {
  it("on a count of one account, the outcomes of all others are recorded, and its own once the lock is gone", async () => {
    const accounts = await Promise.all(Array.from({ length: 4 }, () => harness.account()));
    const [first] = accounts as [(typeof accounts)[number]];
    const before = await harness.schedule(first, `${receiver.origin}/`, null);
    await waitFor("its counts are there", () => areDelivered([before]));
    const held = await lock((sql) => sql`SELECT FROM account_counts WHERE account_id = ${first.id} FOR UPDATE`);

    const [own = [], ...others] = await fire(accounts);
    await waitFor("the others are recorded", () => areDelivered(others.flat()));
    await waitFor("its own were sent", () => receiver.requests.length >= 21);
    expect(await statusesOf(own)).toEqual(Array(5).fill("firing"));
    await held.end();
    await waitFor("its own are recorded", () => areDelivered(own));
    expect(receiver.requests).toHaveLength(21);
  });

  it("on one schedule, the outcomes of all others are recorded, and its own once the lock is gone", async () => {
    const accounts = await Promise.all(Array.from({ length: 3 }, () => harness.account()));
    const answers: (() => void)[] = [];
    receiver.respond((_request, response) => answers.push(() => response.end("ok")));
    const ids = (await fire(accounts)).flat();
    await waitFor("all are in flight", () => answers.length === ids.length);
    const [locked, ...others] = ids as [string, ...string[]];
    const held = await lock((sql) => sql`SELECT FROM schedules WHERE id = ${locked} FOR UPDATE`);
    for (const answer of answers) answer();
    await waitFor("the others are recorded", () => areDelivered(others));
    expect(await statusesOf([locked])).toEqual(["firing"]);
    await held.end();
    await waitFor("its own is recorded", () => areDelivered([locked]));
    expect(receiver.requests).toHaveLength(ids.length);
  });

  it("on one claimed schedule, the others are put back without waiting, and it is named to be put back later", async () => {
    const account = await harness.account();
    const [mine, dispatcherId] = [crypto.randomUUID(), crypto.randomUUID()];
    const inAnHour = new Date(Date.now() + 3_600_000);
    const ids = await Promise.all([1, 2].map(() => harness.schedule(account, `${receiver.origin}/${mine}`, inAnHour)));
    await harness.sql`
      UPDATE schedules SET status = 'firing', version = 2, attempts = 1, claimed_by = ${dispatcherId}, claimed_at = now(),
        claim_deadline = now() + interval '1 hour' WHERE id IN ${harness.sql(ids)}`;
    const [locked, other] = ids as [string, string];
    const held = await lock((sql) => sql`SELECT FROM schedules WHERE id = ${locked} FOR UPDATE`);
    const claims = ids.map((id) => ({ id, version: 2 }));
    const release = () => releaseSchedules(harness.sql as never, dispatcherId, claims);
    expect(await release()).toEqual({ released: [{ id: other, version: 3 }], locked: [locked] });
    await held.end();
    expect(await release()).toEqual({ released: [{ id: locked, version: 3 }], locked: [] });
  });

  it("on the death group of one account, the deaths of all others are grouped, and its own once the lock is gone", async () => {
    const accounts = await Promise.all(
      Array.from({ length: 3 }, () => harness.account({ settings: { retry_attempts: 0 } })),
    );
    const [first] = accounts as [(typeof accounts)[number]];
    await harness.sql`INSERT INTO death_groups (account_id) VALUES (${first.id})`;
    const held = await lock((sql) => sql`SELECT FROM death_groups WHERE account_id = ${first.id} FOR UPDATE`);
    receiver.respond((_request, response) => response.writeHead(500).end());
    const own = (await fire([first])).flat();
    const others = (await fire(accounts.slice(1))).flat();
    const countOf = async (ids: string[]) =>
      (await harness.sql`SELECT FROM dead_schedules WHERE schedule_id IN ${harness.sql(ids)}`).length;
    await waitFor("all are dead", async () => (await statusesOf([...own, ...others])).every((it) => it === "dead"));
    // In batches of two, the first of which have deaths of this account alone.
    const group = () => groupDeadSchedules(harness.sql as never, 2);
    await waitFor("the others are grouped", async () => (await group()) === 0 && (await countOf(others)) === 0);
    expect(await countOf(own)).toBe(own.length);
    await held.end();
    await waitFor("its own are grouped", async () => (await group()) === 0 && (await countOf(own)) === 0);
    const [grouped] =
      await harness.sql`SELECT (waiting->>'n')::int AS n FROM death_groups WHERE account_id = ${first.id}`;
    expect(grouped).toEqual({ n: own.length });
  });
});
