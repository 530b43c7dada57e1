// Final: its verdict is about what was sent, and when.
import { describe, expect, it } from "vitest";
import { encodeId } from "#domain/ids.ts";
import type { Receiver } from "#scripts/lab/receiver.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { inMs, pause } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withDispatchHarness } from "../../helpers/with-dispatch-harness.ts";

let receiver: Receiver;
let harness: DispatchHarness;

withDispatchHarness({ hasDispatcher: true, keepsReceived: true }, (made) => {
  ({ receiver, harness } = made);
});

const inParallel = (n: number, work: () => Promise<void>) => Promise.all(Array.from({ length: n }, work));
const sentTo = (path: string) => receiver.requests.filter((request) => request.path === path);
const countOf = async (status: string, accountId: string) => {
  const [row] = await harness.sql`
    SELECT count(*)::int AS n FROM schedules WHERE account_id = ${accountId} AND status = ${status}`;
  return row?.n as number;
};
const cancel = async (id: string) => {
  const rows = await harness.sql`
    UPDATE schedules SET status = 'cancelled', next_attempt_at = NULL, ended_at = now(), version = version + 1
    WHERE id = ${id} AND status IN ('scheduled', 'failed') RETURNING id`;
  return rows.length === 1;
};

describe("after a cancel or a reschedule,", () => {
  it("a cancelled schedule is never sent, at whatever moment around its instant it was cancelled", async () => {
    const account = await harness.account();
    const cancelled = new Set<string>();
    const fired = new Set<string>();
    await inParallel(60, async () => {
      for (let n = 0; n < 5; n++) {
        const fireAt = inMs(500 + Math.random() * 300);
        const id = await harness.schedule(account, `${receiver.origin}/cancelled`, fireAt);
        await pause(fireAt.getTime() - Date.now() - 120 + Math.random() * 140);
        ((await cancel(id)) ? cancelled : fired).add(encodeId("sch", id));
      }
    });
    await waitFor("the others are delivered", async () => (await countOf("succeeded", account.id)) === fired.size);
    const sent = sentTo("/cancelled").map(({ headers }) => String(headers["webhook-id"]));
    expect(new Set(sent)).toEqual(fired);
    expect(sent).toHaveLength(fired.size);
    expect(cancelled.size + fired.size).toBe(300);
  });

  it("a rescheduled one is sent at its new instant only, even if the old one was already prefetched", async () => {
    const account = await harness.account();
    const dueAtMs = new Map<string, number>();
    let moved = 0;
    await inParallel(50, async () => {
      for (let n = 0; n < 2; n++) {
        const oldAt = inMs(1_200);
        const id = await harness.schedule(account, `${receiver.origin}/moved`, oldAt);
        await pause(Math.random() * 600);
        const fireAt = inMs(1_500 + Math.random() * 300);
        const rows = await harness.sql`
          UPDATE schedules SET fire_at = ${fireAt}, next_attempt_at = ${fireAt}, version = version + 1
          WHERE id = ${id} AND status = 'scheduled' RETURNING pg_notify('stopwatch_due', shard || ':' || id)`;
        // One whose old instant came before the move is sent at that.
        moved += rows.length;
        dueAtMs.set(encodeId("sch", id), (rows.length === 1 ? fireAt : oldAt).getTime());
      }
    });
    await waitFor("all are delivered", async () => (await countOf("succeeded", account.id)) === 100);
    expect(moved).toBeGreaterThan(0);
    expect(sentTo("/moved")).toHaveLength(100);
    for (const { headers, arrivedAtMs } of sentTo("/moved")) {
      const lateMs = arrivedAtMs - (dueAtMs.get(String(headers["webhook-id"])) as number);
      expect(lateMs).toBeGreaterThanOrEqual(0);
    }
  });
});

describe.concurrent("the account's rate", () => {
  it.each([5, 20])(
    "of %i calls a second is never exceeded in any sliding second, and keeps the due order, while all is due at once",
    async (cps) => {
      const account = await harness.account({ settings: { cps_limit: cps } });
      const fireAt = inMs(1_200);
      const ids = new Map<string, number>();
      for (let n = 0; n < cps * 3; n++) {
        const at = new Date(fireAt.getTime() + n);
        ids.set(await harness.schedule(account, `${receiver.origin}/rate`, at), n);
      }
      await waitFor("all are delivered", async () => (await countOf("succeeded", account.id)) === cps * 3);
      const rows = await harness.sql`
      SELECT a.schedule_id, a.attempted_at, a.wait_ms FROM attempts a JOIN schedules s ON s.id = a.schedule_id
      WHERE a.account_id = ${account.id} ORDER BY a.attempted_at, s.fire_at`;
      const times = rows.map((row) => (row.attempted_at as Date).getTime());
      for (const [index, at] of times.entries()) {
        expect(
          times.filter((other) => other >= at && other < at + 1_000).length,
          `from the ${index}th on`,
        ).toBeLessThanOrEqual(cps);
      }
      expect((times.at(-1) as number) - (times[0] as number)).toBeLessThan(6_000);
      expect(Math.max(...rows.map((row) => row.wait_ms))).toBeGreaterThan(900);
      const waves = rows.map((row) => Math.floor((ids.get(row.schedule_id) as number) / cps));
      expect(waves).toEqual([...waves].sort((a, b) => a - b));
    },
  );

  it("leaves waiting schedules in the status scheduled, and they can be cancelled", async () => {
    const account = await harness.account({ settings: { cps_limit: 1 } });
    const ids: string[] = [];
    for (let n = 0; n < 10; n++) ids.push(await harness.schedule(account, `${receiver.origin}/turn`, inMs(300)));
    await waitFor("the first is sent", () => sentTo("/turn").length >= 1);
    const last = await Promise.all(ids.slice(3).map(cancel));
    expect(last).toEqual(last.map(() => true));
    await waitFor("the rest is delivered", async () => (await countOf("succeeded", account.id)) === 3);
    expect(sentTo("/turn")).toHaveLength(3);
  });
});

describe("a deactivated account", () => {
  it("has its schedules wait, fire after its reactivation, and not count as the service's lateness", async () => {
    const account = await harness.account();
    const counted = async () => {
      const [row] = await harness.sql`
        SELECT coalesce(sum(n), 0)::int AS n FROM shard_punctuality
        WHERE shard = (SELECT shard FROM accounts WHERE id = ${account.id})`;
      return row?.n;
    };
    const before = await counted();
    const id = await harness.schedule(account, `${receiver.origin}/`, inMs(400));
    await harness.sql`UPDATE accounts SET status = 'deactivated' WHERE id = ${account.id}`;
    await waitFor("its instant has passed", () =>
      harness.sql`SELECT 1 FROM schedules WHERE id = ${id} AND fire_at < now() - interval '300 ms'`.then(
        (rows) => rows.length === 1,
      ),
    );
    expect(await harness.read(id)).toMatchObject({ status: "scheduled" });
    await harness.sql`UPDATE accounts SET status = 'active', activated_at = now() WHERE id = ${account.id}`;
    await waitFor("it is delivered", async () => (await harness.read(id)).status === "succeeded");
    expect(await counted()).toBe(before);
  });
});
