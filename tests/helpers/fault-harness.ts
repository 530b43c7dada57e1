import { expect } from "vitest";
import { faultOf } from "#db/client.ts";
import type { Receiver } from "#scripts/lab/receiver.ts";
import { expectDeliveredOnce } from "./delivered-once.ts";
import { createDispatchHarness } from "./dispatch-harness.ts";
import { expectOnTime } from "./on-time.ts";
import { countStalls } from "./stalls.ts";
import { pause } from "./time.ts";
import { waitFor } from "./wait-for.ts";
import { startWatchedDispatcher } from "./watched-dispatcher.ts";

export type FaultHarness = Awaited<ReturnType<typeof startFaultHarness>>;

const RESUMES_WITHIN_MS = 15_000;

/**
 * Starts a dispatcher that owns every shard of the database at `url`, whose server will have a fault, and a client that
 * counts its schedules. `receiver` is the only target.
 */
export async function startFaultHarness(url: string, receiver: Receiver) {
  const harness = await createDispatchHarness(
    { DELIVERY_ALLOW: receiver.origin },
    { url, serviceUrl: url, drop: async () => {} },
  );
  const watched = startWatchedDispatcher(harness, url);
  const dispatcher = await watched.started;
  await waitFor("it owns every shard", () => dispatcher.figures().owned === 64, 30_000);
  const schedule = (account: Awaited<ReturnType<typeof harness.account>>, dueInMs: number) =>
    harness.schedule(account, `${receiver.origin}/`, new Date(Date.now() + dueInMs));

  return {
    harness,
    sql: harness.sql,
    dispatcher,
    /** The dispatcher's metrics as text, and the messages of its warnings and errors so far. */
    metrics: watched.metrics,
    messages: watched.messages,

    /**
     * Creates a schedule every 40 ms, due a second later. Runs `fault` once some are acknowledged, and ends with it. Returns
     * the acknowledged ones.
     */
    async creatingDuring(fault: () => Promise<void>): Promise<string[]> {
      const account = await harness.account();
      const acknowledged: string[] = [];
      let over = false;
      const creating = (async () => {
        const open = new Set<Promise<unknown>>();
        while (!over) {
          const creation = schedule(account, 1_000)
            .then((id) => acknowledged.push(id))
            .catch(() => {})
            .finally(() => open.delete(creation));
          open.add(creation);
          await pause(40);
        }
        await Promise.all(open);
      })();
      await waitFor("some are acknowledged", () => acknowledged.length > 10);
      await fault();
      over = true;
      await creating;
      return acknowledged;
    },

    /**
     * Expects that every acknowledged schedule is stored, that every stored schedule was sent once, never early, and
     * recorded, that later schedules are on time, and that the log had at most one line a second.
     */
    async expectNothingLost(acknowledged: string[]) {
      expect(acknowledged.length).toBeGreaterThan(10);
      // The server may still be recovering: its last crash can have come at the very end of the fault.
      const isDone = () =>
        harness.sql`SELECT FROM schedules WHERE status <> 'succeeded' LIMIT 1`.then(
          (open) => open.length === 0,
          (error) => {
            if (faultOf(error) === undefined) throw error;
          },
        );
      await waitFor("everything is delivered and recorded", isDone, RESUMES_WITHIN_MS + 5_000);
      const stored = await harness.sql`SELECT id FROM schedules`;
      const ids = stored.map(({ id }) => id as string);
      expect(ids).toEqual(expect.arrayContaining(acknowledged));
      await expectDeliveredOnce({ sql: harness.sql, receiver }, ids);

      const account = await harness.account();
      const stalled = countStalls();
      for (const n of [1, 2, 3]) await schedule(account, 2_000 + n);
      const late = await waitFor("what comes next is delivered", async () => {
        const rows = await harness.sql`
          SELECT offset_ms::int FROM schedules WHERE account_id = ${account.id} AND status = 'succeeded'`;
        return rows.length === 3 && rows.map((row) => row.offset_ms);
      });
      expectOnTime(Math.max(...late), 250, stalled());
      expect(watched.loggedPerSecond()).toBeLessThanOrEqual(1);
    },

    async close() {
      await watched.stop();
      await harness.close();
    },
  };
}
