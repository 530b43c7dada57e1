import { beforeEach, expect } from "vitest";
import { endHold, holdForOperator } from "#db/queries/fleet/holds.ts";
import type { Dispatcher } from "#dispatcher/dispatcher.ts";
import type { Receiver } from "#scripts/lab/receiver.ts";
import type { DispatchHarness } from "./dispatch-harness.ts";
import { insertSchedules } from "./overdue.ts";
import { pause } from "./time.ts";
import { waitFor } from "./wait-for.ts";
import { withDispatchHarness } from "./with-dispatch-harness.ts";

export const FIVE_MINUTES_MS = 300_000;
const OVERDUE = 12;
/** Each dispatcher looks at least twice whether a hold has ended. */
const TWO_LOOKS_MS = 2_500;

/** For each test of a file, a harness of its own with schedules that fell due five minutes ago. `take` is called with it. */
export function withOverdueSchedules(
  take: (made: { receiver: Receiver; harness: DispatchHarness; fleet: OverdueFleet }) => void,
): void {
  let receiver: Receiver;
  let harness: DispatchHarness;
  withDispatchHarness({ isPerTest: true }, (made) => {
    ({ receiver, harness } = made);
    take({ ...made, fleet: overdueFleet(made) });
  });
  beforeEach(async () => {
    const account = await harness.account();
    await insertSchedules(harness.sql, [account.id], new URL(receiver.origin), {
      rows: OVERDUE,
      fromMs: -FIVE_MINUTES_MS,
      everyMs: 1_000,
    });
  });
}

export type OverdueFleet = ReturnType<typeof overdueFleet>;

function overdueFleet({ receiver, harness: { sql } }: { receiver: Receiver; harness: DispatchHarness }) {
  return {
    /** The hold that is not ended. */
    async openHold() {
      const [hold] = await sql`SELECT id, reason FROM holds WHERE ended_at IS NULL`;
      return hold;
    },
    /** As an operator who chooses to send everything. */
    async sendAll() {
      const { id } = await holdForOperator(sql);
      await endHold(sql, id, { choice: "send_all" });
    },
    async expectNothingSent(dispatchers: readonly Dispatcher[]) {
      await pause(TWO_LOOKS_MS);
      for (const { figures } of dispatchers) expect(figures()).toMatchObject({ owned: 0, held: 1 });
      expect(receiver.requests).toHaveLength(0);
    },
    /** Waits until the overdue schedules are delivered, and expects that each was sent once. */
    async expectAllSent() {
      await waitFor("all are delivered", async () => {
        const [row] = await sql`SELECT count(*)::int AS n FROM schedules WHERE status = 'succeeded'`;
        return row?.n === OVERDUE;
      });
      expect(receiver.requests).toHaveLength(OVERDUE);
    },
  };
}
