// Guards: dispatcher/intake/**, dispatcher/claiming/**, dispatcher/rates/**, dispatcher/memory.ts

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MEMORY_MAX, MEMORY_OF_WAITING_MAX } from "#dispatcher/intake/memory.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { createTestAccounts, type TestAccount } from "../../helpers/accounts.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { expectOnTime } from "../../helpers/on-time.ts";
import { insertSchedules } from "../../helpers/overdue.ts";
import { countStalls } from "../../helpers/stalls.ts";
import { pause } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";

/**
 * A schedule that is due now and waits for another account's backlog would be later than this by far: backlogs last for
 * minutes.
 */
const LATE_MS = 3_000;
/** Number of bulk creates, a quarter of a second apart. Together they take longer than `LATE_MS`. */
const BULKS = 30;

let receiver: Receiver;
let other: Receiver;
let harness: DispatchHarness;

beforeEach(async () => {
  receiver = await startReceiver({ tls: false });
  other = await startReceiver({ tls: false });
  harness = await createDispatchHarness({ DELIVERY_ALLOW: `${receiver.origin},${other.origin}` });
});
afterEach(async () => {
  // Ends hanging requests, so that the dispatcher does not wait for them.
  await other.close();
  await harness.close();
  await receiver.close();
});

const to = (target: Receiver, path: string) => new URL(path, target.origin);

/** Creates an account in the shard of `account`. */
async function neighbourOf(account: TestAccount): Promise<TestAccount> {
  const shardOf = async ({ id }: TestAccount) =>
    (await harness.sql`SELECT shard FROM accounts WHERE id = ${id}`)[0]?.shard;
  const shard = await shardOf(account);
  for (let n = 0; n < 2_000; n++) {
    const neighbour = await harness.account();
    if ((await shardOf(neighbour)) === shard) return neighbour;
  }
  throw new Error("no account came into the shard");
}

/** The lateness of each delivered schedule of these accounts, ms. */
async function latenessOf(accounts: readonly TestAccount[]): Promise<number[]> {
  const rows = await harness.sql`
    SELECT extract(epoch FROM t.attempted_at - s.fire_at)::float8 * 1000 AS late
    FROM schedules s JOIN attempts t ON t.schedule_id = s.id AND t.attempt = 1
    WHERE s.account_id = ANY (${accounts.map(({ id }) => id)}) AND s.status = 'succeeded'`;
  return rows.map(({ late }) => late);
}

async function deliveredOf(accounts: readonly TestAccount[]): Promise<number> {
  const [row] = await harness.sql`
    SELECT count(*)::int AS n FROM schedules
    WHERE account_id = ANY (${accounts.map(({ id }) => id)}) AND status = 'succeeded'`;
  return row?.n;
}

/** Waits until the dispatcher has sent a request: the first one of a process leaves later than those after it. */
async function sendsFirst() {
  const account = await harness.account();
  await harness.schedule(account, to(receiver, "/first").href, null);
  await waitFor("a request is sent", async () => (await deliveredOf([account])) === 1, 20_000);
}

describe("an account that shares its shard with 20,000 overdue schedules of another one", () => {
  it.each([
    ["that is active", true],
    ["that was deactivated", false],
  ])("%s is served on time while it keeps creating more", async (_, isActive) => {
    const busy = await harness.account();
    const fresh = await neighbourOf(busy);
    await insertSchedules(harness.sql, [busy.id], to(receiver, "/busy"), {
      rows: 20_000,
      fromMs: -600_000,
      everyMs: 10,
    });
    if (!isActive) await harness.sql`UPDATE accounts SET status = 'deactivated' WHERE id = ${busy.id}`;
    await harness.dispatcher();
    await sendsFirst();
    for (let n = 0; n < BULKS; n++) {
      await insertSchedules(harness.sql, [fresh.id], to(receiver, "/fresh"), { rows: 2, fromMs: 500 });
      await harness.sql`
        SELECT pg_notify('stopwatch_due', due_notice(shard, id, account_id, env, next_attempt_at, 2))
        FROM schedules WHERE account_id = ${fresh.id} AND status = 'scheduled' ORDER BY next_attempt_at DESC LIMIT 1`;
      await pause(250);
    }
    await waitFor("all of them are delivered", async () => (await deliveredOf([fresh])) === 2 * BULKS, 20_000);
    expectOnTime(Math.max(...(await latenessOf([fresh]))), LATE_MS);
    if (!isActive) expect(await deliveredOf([busy])).toBe(0);
  });
});

describe("an account that creates twice its rate", () => {
  it("is sent at its rate, the oldest first, and never faster", async () => {
    const account = await harness.account({ settings: { cps_limit: 20 } });
    await insertSchedules(harness.sql, [account.id], to(receiver, "/"), { rows: 400, fromMs: 1_000, everyMs: 25 });
    await harness.dispatcher();
    const stalled = countStalls();
    await waitFor("a good part is delivered", async () => (await deliveredOf([account])) >= 160, 20_000);
    const stalledMs = stalled();
    const rows = await harness.sql`
      SELECT extract(epoch FROM t.attempted_at)::float8 * 1000 AS at, s.fire_at
      FROM attempts t JOIN schedules s ON s.id = t.schedule_id ORDER BY t.attempted_at, s.fire_at`;
    const sentAtMs = rows.map(({ at }) => at as number);
    for (const [n, atMs] of sentAtMs.entries()) expect(atMs - (sentAtMs[n - 20] ?? 0)).toBeGreaterThanOrEqual(1_000);
    const dueAt = rows.map((row) => Number(row.fire_at));
    // What a stall held back leaves at once, in any order.
    const swapMs = 250 + stalledMs;
    const inversions = dueAt.filter((at, n) => n > 0 && at < Math.max(...dueAt.slice(Math.max(n - 20, 0), n)) - swapMs);
    expect(inversions).toEqual([]);
    const tookMs = (sentAtMs.at(-1) ?? 0) - (sentAtMs[20] ?? 0);
    const atMostMs = ((sentAtMs.length - 21) / 18) * 1_000;
    expectOnTime(tookMs, atMostMs, stalledMs);
  });
});

describe("100 accounts whose schedules are on time", () => {
  it("stay on time beside 100,000 overdue schedules of 50 others", async () => {
    // At this rate the backlog lasts for 8 s on a machine of any speed: the last schedule on time is due after 6.5 s.
    const settings = { cps_limit: 250 };
    const busy = await Promise.all(Array.from({ length: 50 }, () => harness.account({ settings })));
    const fresh = await Promise.all(Array.from({ length: 100 }, () => harness.account()));
    const ids = (accounts: TestAccount[]) => accounts.map(({ id }) => id);
    await insertSchedules(harness.sql, ids(busy), to(receiver, "/busy"), {
      rows: 2_000,
      fromMs: -600_000,
      everyMs: 100,
    });
    await insertSchedules(harness.sql, ids(fresh), to(receiver, "/fresh"), { rows: 4, fromMs: 5_000, everyMs: 500 });
    await harness.dispatcher();
    await waitFor("all of them are delivered", async () => (await deliveredOf(fresh)) === 400, 30_000);
    expect(await deliveredOf(busy)).toBeLessThan(100_000);
    expectOnTime(Math.max(...(await latenessOf(fresh))), LATE_MS);
  });
});

describe("60,000 accounts with one schedule each to a hanging origin", () => {
  it("delay no other account, and take no more than their share of the memory", async () => {
    const fresh = await harness.account();
    const crowd = await createTestAccounts(harness.sql, harness.config.keyRing, 60_000);
    other.respond(() => {});
    const hangs = to(other, "/hangs");
    await insertSchedules(harness.sql, crowd, hangs, { rows: 1, fromMs: 0 });
    const dispatcher = await harness.dispatcher();
    await waitFor("the crowd is in memory", () => dispatcher.figures().planned >= MEMORY_OF_WAITING_MAX, 20_000);
    // Created as by the API, which announces them: what no notification names is found by the next sweep of the calendar.
    const beginMs = Date.now() + 2_000;
    const target = to(receiver, "/fresh").href;
    for (let n = 0; n < 20; n++) await harness.schedule(fresh, target, new Date(beginMs + n * 200));
    const planned: number[] = [];
    await waitFor(
      "the others are delivered",
      async () => {
        planned.push(dispatcher.figures().planned);
        return (await deliveredOf([fresh])) === 20;
      },
      30_000,
    );
    expectOnTime(Math.max(...(await latenessOf([fresh]))), LATE_MS);
    expect(Math.max(...planned)).toBeLessThanOrEqual(MEMORY_MAX);
    expect(other.connections()).toBeLessThanOrEqual(1_024);
  });
});
