// Guards: dispatcher/intake/**, dispatcher/claiming/**, dispatcher/rates/**, dispatcher/memory.ts

import { expect, it } from "vitest";
import type { Receiver } from "#scripts/lab/receiver.ts";
import type { TestAccount } from "../../helpers/accounts.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { expectOnTime } from "../../helpers/on-time.ts";
import { insertSchedules } from "../../helpers/overdue.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withDispatchHarness } from "../../helpers/with-dispatch-harness.ts";

// The rules by which lanes share a dispatcher are tested in tests/simulation; here is one of them at full size on a real database.

/** A schedule that is due now and waits for the others' backlog would be later than this by far: it lasts for minutes. */
const LATE_MS = 3_000;

let receiver: Receiver;
let harness: DispatchHarness;

withDispatchHarness({}, (made) => {
  ({ receiver, harness } = made);
});

async function deliveredOf(accounts: readonly TestAccount[]): Promise<number> {
  const [row] = await harness.sql`
    SELECT count(*)::int AS n FROM schedules
    WHERE account_id = ANY (${accounts.map(({ id }) => id)}) AND status = 'succeeded'`;
  return row?.n;
}

it("100 accounts whose schedules are on time stay on time beside 100,000 overdue schedules of 50 others", async () => {
  // At this rate the backlog lasts for 8 s on a machine of any speed: the last schedule on time is due after 6.5 s.
  const settings = { cps_limit: 250 };
  const busy = await Promise.all(Array.from({ length: 50 }, () => harness.account({ settings })));
  const fresh = await Promise.all(Array.from({ length: 100 }, () => harness.account()));
  const ids = (accounts: TestAccount[]) => accounts.map(({ id }) => id);
  const target = new URL("/", receiver.origin);
  await insertSchedules(harness.sql, ids(busy), target, { rows: 2_000, fromMs: -600_000, everyMs: 100 });
  await insertSchedules(harness.sql, ids(fresh), target, { rows: 4, fromMs: 5_000, everyMs: 500 });
  await harness.dispatcher();
  await waitFor("all of them are delivered", async () => (await deliveredOf(fresh)) === 400, 30_000);
  expect(await deliveredOf(busy)).toBeLessThan(100_000);
  const [latest] = await harness.sql`
    SELECT max(offset_ms)::int AS ms FROM schedules WHERE account_id = ANY (${ids(fresh)})`;
  expectOnTime(latest?.ms, LATE_MS);
});
