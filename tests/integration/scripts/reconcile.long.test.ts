// Guards: scripts/reconcile/**, domain/incarnation.ts, scripts/commands/reconcile.ts, scripts/confirm.ts
import { beforeEach, describe, expect, it } from "vitest";
import { connect } from "#db/client.ts";
import { readLeaseHolders } from "#db/queries/reconcile/cancel-due-before.ts";
import { formatInstant } from "#domain/instant.ts";
import type { TestAccount } from "../../helpers/accounts.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { leaveHeartbeat, pretendTimeline } from "../../helpers/incarnations.ts";
import { insertSchedules } from "../../helpers/overdue.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withDispatchHarness } from "../../helpers/with-dispatch-harness.ts";
import { runScript } from "./script-process.ts";

const MINUTE_MS = 60_000;
const TARGET = new URL("https://example.com/");

let harness: DispatchHarness;
let account: TestAccount;

withDispatchHarness({ isPerTest: true }, (made) => {
  ({ harness } = made);
});
beforeEach(async () => {
  account = await harness.account();
});

/** Runs the command with the role that the service has. */
async function reconcile(...args: string[]) {
  const script = runScript("reconcile", args, { DATABASE_URL: harness.config.databaseUrl });
  const code = await script.exited;
  return { code, stdout: script.stdout.join("\n"), stderr: script.stderr.join("\n") };
}

/** Stores schedules of the account, the first due `agoMs` ago and the others a second apart. */
const overdue = (rows: number, agoMs: number) =>
  insertSchedules(harness.sql, [account.id], TARGET, { rows, fromMs: -agoMs, everyMs: 1_000 });
const statuses = async () => {
  const rows = await harness.sql`SELECT status, count(*)::int AS n FROM schedules GROUP BY status ORDER BY status`;
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
};
const holds = () =>
  harness.sql`SELECT reason, choice, send_from, ended_at IS NULL AS open FROM holds ORDER BY began_at`;
/** The options that the report names, with what it says of each. */
const answersIn = (stdout: string) =>
  Object.fromEntries(
    [...stdout.matchAll(/npm run reconcile -- (.*)\n {2}(\w+ \w+(?:, \w+ \d+)?)/g)].map(([, option, does]) => [
      option,
      does,
    ]),
  );
const ago = (ms: number) => formatInstant(Date.now() - ms);

describe("npm run reconcile", () => {
  it("shows what is pending by account and age, why nothing is sent, and changes nothing", async () => {
    await overdue(3, 10 * MINUTE_MS);
    await overdue(2, 30_000);
    await overdue(4, -60 * MINUTE_MS);
    await leaveHeartbeat(harness.sql, 10 * MINUTE_MS);
    await pretendTimeline(harness.sql, 2);
    const dispatcher = await harness.dispatcher();
    const { code, stdout, stderr } = await reconcile();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(dispatcher.held());
    expect(stdout).toMatch(/5 overdue, 4 due later, of 1 accounts/);
    const row = stdout.split("\n").find((line) => line.startsWith(account.id)) ?? "";
    expect(row.split(/ {2,}/)).toEqual([
      `${account.id}@example.com`,
      ...["5", "2", "3", "0", "0", expect.stringMatching(/^\d{4}-.*Z$/), "4"],
    ]);
    expect(await statuses()).toEqual({ scheduled: 9 });
    expect(await holds()).toMatchObject([{ reason: "restored", open: true }]);
  });

  it("asks when the former service stopped sending, and says how many each answer cancels and sends", async () => {
    await overdue(3, 10 * MINUTE_MS);
    await overdue(4, -60 * MINUTE_MS);
    await leaveHeartbeat(harness.sql, 10 * MINUTE_MS);
    await pretendTimeline(harness.sql, 2);
    await harness.dispatcher();
    await overdue(1, 1_000);
    const { stdout } = await reconcile();
    expect(stdout).toContain("When did the former service stop sending?");
    expect(answersIn(stdout)).toEqual({
      "--send-all": "cancels 0, sends 4",
      "--send-from INSTANT": "says how",
      "--cancel-overdue": "cancels 3, sends 1",
      "--cancel-all": "cancels 7, sends 1",
    });
  });

  it("has recurrences make nothing of what was due before, cancels what waits whether it overlaps, and pauses them for a copy", async () => {
    await overdue(1, 10 * MINUTE_MS);
    await harness.sql`UPDATE schedules SET next_attempt_at = '9999-12-31T00:00:00Z'`;
    await harness.sql`
      INSERT INTO recurrences (id, account_id, env, shard, key, cron, timezone, on_clock_change, overlap, catch_up, spread_ms,
        target_url, origin, method, payload_size_bytes, request_hash, made_until, zone_data, lead_ms, next_step_at, created_by)
      SELECT gen_random_uuid(), id, 'live', shard, 'a', '* * * * *', 'UTC', 'first', 'skip', 'latest', 0, 'https://example.com/',
        'https://example.com', 'POST', 0, '', now() - interval '10 minutes', '2025a', 90000, now(), gen_random_uuid()
      FROM accounts WHERE id = ${account.id}`;
    const read = () => harness.sql`
      SELECT status, pause_note, next_step_at, now() - made_until < interval '1 minute' AS skips FROM recurrences`;
    const { stdout } = await reconcile("--send-from", ago(1_000), "--yes");
    expect(stdout).toContain("1 recurrences make nothing of what they missed before");
    expect(await statuses()).toEqual({ cancelled: 1 });
    expect(await read()).toMatchObject([{ status: "active", skips: true }]);
    await reconcile("--cancel-all", "--yes");
    expect(await read()).toMatchObject([{ status: "paused", pause_note: "paused by reconcile", next_step_at: null }]);
  });

  it("names the last heartbeat that a dispatcher knows of as the instant, when it lived through the restore", async () => {
    const living = await harness.dispatcher();
    await waitFor("it delivers", () => living.figures().owned === 64);
    await overdue(4, -60 * MINUTE_MS);
    const at = await harness.sql.begin(async (tx) => {
      // Waits until a heartbeat in flight is stored.
      await tx`LOCK TABLE heartbeats IN ACCESS EXCLUSIVE MODE`;
      const [row] = await tx`UPDATE heartbeats SET beat_at = beat_at - interval '5 minutes' RETURNING beat_at`;
      return Number(row?.beat_at) + 5 * MINUTE_MS;
    });
    await waitFor("it has noticed", () => living.held() !== null);
    await harness.sql`
      UPDATE schedules SET next_attempt_at = to_timestamp(${at / 1_000}::float8) + n * interval '1 minute' - interval '90 s', fire_at = now() - interval '10 minutes'
      FROM (SELECT id, row_number() OVER () AS n FROM schedules) o WHERE o.id = schedules.id`;
    const { stdout } = await reconcile();
    const named = /--send-from (\S+Z)/.exec(stdout)?.[1] ?? "";
    expect(Date.parse(named)).toBe(at);
    expect(answersIn(stdout)).toMatchObject({ [`--send-from ${named}`]: expect.stringMatching(/^cancels 1, sends 0/) });
  });

  it("--cancel-all cancels what is due later too, as in a copy beside a service that goes on", async () => {
    await overdue(3, 5 * MINUTE_MS);
    await overdue(4, -60 * MINUTE_MS);
    await reconcile("--hold");
    await overdue(2, -60 * MINUTE_MS);
    expect(await reconcile("--cancel-all", "--yes")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("This cancels 7, sends 0 at once"),
    });
    expect(await statuses()).toEqual({ cancelled: 7, scheduled: 2 });
    expect(await holds()).toMatchObject([{ choice: "send_from", open: false }]);
  });

  it("waits until no dispatcher has a lease before it cancels", async () => {
    await overdue(3, -60 * MINUTE_MS);
    const dispatcher = await harness.dispatcher();
    await waitFor("it delivers", () => dispatcher.figures().owned === 64);
    // Longer than the lease in `shards`, which heartbeats do not renew.
    await waitFor("its shards were taken long ago", async () => {
      const [row] = await harness.sql`SELECT max(lease_until) < clock_timestamp() AS over FROM shards`;
      return row?.over;
    });
    const database = connect({ url: harness.config.databaseUrl, name: "test", connectionsMax: 1 });
    expect(await database.run(10_000, ({ sql }) => readLeaseHolders(sql))).toHaveLength(1);
    await database.close();
  });

  it("says so when there is no hold and nothing is pending", async () => {
    const { code, stdout } = await reconcile();
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^There is no hold: dispatchers send what is due\.\n\nPending at .*: 0 overdue, 0 due later/,
    );
  });

  it("--hold keeps dispatchers that start later from sending, and can be repeated", async () => {
    await overdue(3, MINUTE_MS);
    expect(await reconcile("--hold")).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Held since/) });
    expect(await reconcile("--hold")).toMatchObject({ code: 0 });
    const dispatcher = await harness.dispatcher();
    expect(dispatcher.held()).toContain("an operator holds this database");
    expect(await holds()).toMatchObject([{ reason: "operator", open: true }]);
  });

  it("--send-all on a copy that no dispatcher has seen yet lets them send when they start", async () => {
    await overdue(3, 10 * MINUTE_MS);
    await leaveHeartbeat(harness.sql, 10 * MINUTE_MS);
    await pretendTimeline(harness.sql, 2);
    expect(await reconcile("--send-all", "--yes")).toMatchObject({ code: 0, stderr: "" });
    const dispatcher = await harness.dispatcher();
    expect(dispatcher.held()).toBeNull();
    expect(await holds()).toMatchObject([{ choice: "send_all", open: false }]);
    expect(await statuses()).not.toHaveProperty("cancelled");
  });

  it("--send-from cancels what was due before, as DELETE does, says so in last_error, and leaves the rest and what is due later", async () => {
    await overdue(600, 20 * MINUTE_MS);
    await overdue(5, 5 * MINUTE_MS);
    await overdue(2, -60 * MINUTE_MS);
    await harness.sql`
      UPDATE schedules SET status = 'failed', attempts = 1, failures = 1 WHERE id = (SELECT min(id::text)::uuid FROM schedules
        WHERE next_attempt_at < now() - interval '6 minutes')`;
    const from = ago(6 * MINUTE_MS);
    const { code, stdout } = await reconcile("--send-from", from, "--yes");
    expect(code).toBe(0);
    expect(stdout).toContain("Cancelled 600 schedules.");
    expect(await statuses()).toEqual({ cancelled: 600, scheduled: 7 });
    const [row] = await harness.sql`
      SELECT count(*)::int AS n FROM schedules
      WHERE status = 'cancelled' AND last_error = 'cancelled by reconcile' AND ended_at IS NOT NULL AND next_attempt_at IS NULL AND version >= 2`;
    expect(row?.n).toBe(600);
    expect(await holds()).toMatchObject([{ choice: "send_from", send_from: new Date(from), open: false }]);
  });

  it("--cancel-overdue leaves what was created, moved or fired since the hold began", async () => {
    await overdue(5, 5 * MINUTE_MS);
    await reconcile("--hold");
    await harness.sql`UPDATE schedules SET next_attempt_at = now(), updated_at = now()
      WHERE id = (SELECT id FROM schedules LIMIT 1)`;
    await overdue(2, 1_000);
    expect(await reconcile("--cancel-overdue", "--yes")).toMatchObject({ code: 0 });
    expect(await statuses()).toEqual({ cancelled: 4, scheduled: 3 });
  });

  it("--cancel-overdue records an attempt without an outcome as interrupted, and cancels its schedule", async () => {
    await overdue(2, 5 * MINUTE_MS);
    await harness.sql`
      UPDATE schedules SET status = 'firing', attempts = 1, claimed_at = next_attempt_at, claim_deadline = next_attempt_at + interval '35 s'
      WHERE id = (SELECT min(id::text)::uuid FROM schedules)`;
    expect(await reconcile("--cancel-overdue", "--yes")).toMatchObject({ code: 0 });
    expect(await statuses()).toEqual({ cancelled: 2 });
    expect(await harness.sql`SELECT outcome, attempt FROM attempts`).toEqual([{ outcome: "interrupted", attempt: 1 }]);
  });

  it("--cancel-overdue stops operations that were replaying schedules, and the report counts them", async () => {
    await harness.sql`
      INSERT INTO operations (id, account_id, env, shard, action, schedule_ids, accepted_at, total, request_hash, next_step_at, updated_at)
      SELECT gen_random_uuid(), id, 'live', shard, action, ARRAY[gen_random_uuid()], now() - interval '5 minutes', 1, '', now(), now()
      FROM accounts, (VALUES ('replay'), ('cancel')) actions (action)`;
    await leaveHeartbeat(harness.sql, 10 * MINUTE_MS);
    await pretendTimeline(harness.sql, 2);
    expect((await harness.dispatcher()).held()).not.toBeNull();
    expect((await reconcile()).stdout).toContain("Operations that replay schedules and are not done: 1.");
    expect((await reconcile("--cancel-overdue", "--yes")).stdout).toContain("Stopped 1 operations");
    const rows = await harness.sql`SELECT action, status FROM operations WHERE action = 'replay'`;
    expect(rows).toEqual([{ action: "replay", status: "stopped" }]);
  });

  it("goes on where it was when it is killed in the middle, and holds until then", async () => {
    await overdue(3, 5 * MINUTE_MS);
    const session = await harness.sql.reserve();
    // It waits for as long as the commands take.
    await session`SET idle_in_transaction_session_timeout = 0`;
    await session`BEGIN`;
    await session`SELECT FROM schedules FOR UPDATE`;
    const script = runScript("reconcile", ["--cancel-overdue", "--yes"], { DATABASE_URL: harness.config.databaseUrl });
    await waitFor("it waits for the rows", async () => {
      const rows = await harness.sql`
        SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'stopwatch reconcile'
          AND wait_event_type = 'Lock'`;
      return rows.length > 0;
    });
    const other = await reconcile("--send-all", "--yes");
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining("Another npm run reconcile is at work") });
    script.child.kill("SIGKILL");
    await script.exited;
    await session`ROLLBACK`;
    session.release();
    expect(await holds()).toMatchObject([{ open: true }]);
    await waitFor("its session has ended", async () => (await reconcile("--cancel-overdue", "--yes")).code === 0);
    expect(await statuses()).toEqual({ cancelled: 3 });
    expect(await holds()).toMatchObject([{ choice: "send_from", open: false }]);
  });

  it.each([
    ["without a terminal and --yes", ["--send-all"], "There is no terminal to confirm this on: add --yes."],
    ["with two choices", ["--send-all", "--hold"], "exclude each other"],
    ["from an instant without an offset", ["--send-from", "2026-01-01T00:00:00", "--yes"], "expected an instant"],
    ["from an instant in the future", ["--send-from", "2126-01-01T00:00:00Z", "--yes"], "is in the future"],
    ["with an unknown option", ["--cancel"], "Unknown option"],
  ])("refuses to run %s, and changes nothing", async (_what, args, message) => {
    await overdue(2, MINUTE_MS);
    const { code, stderr } = await reconcile(...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    expect(await statuses()).toEqual({ scheduled: 2 });
    expect(await holds()).toEqual([]);
  });
});
