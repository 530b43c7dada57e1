import { it } from "vitest";
import { expectOnTime } from "../../helpers/on-time.ts";
import { countStalls } from "../../helpers/stalls.ts";
import { inMs } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { startDeliveryHarness } from "../../helpers/with-dispatch-harness.ts";

const SCHEDULES = 20;

it("schedules that were in memory when their shard was lost are sent on time when the same dispatcher takes it back at once", async () => {
  await using started = await startDeliveryHarness();
  const { receiver, harness } = started;
  const dispatcher = await harness.dispatcher();
  const account = await harness.account();
  const stalled = countStalls();
  for (let n = 0; n < SCHEDULES; n++)
    await harness.schedule(account, `${receiver.origin}/`, inMs(2_000 + (n * 1_500) / SCHEDULES));
  await waitFor("all are in memory", () => dispatcher.figures().planned === SCHEDULES);

  await harness.sql`UPDATE shards SET owner = NULL, lease_until = '-infinity', epoch = epoch + 1`;
  await harness.sql`SELECT pg_notify('stopwatch_due', 'shards')`;
  await waitFor("it lost its shards and took them back", async () => {
    const [row] = await harness.sql`SELECT count(owner)::int AS owned FROM shards`;
    return row?.owned === 64 && dispatcher.figures().owned === 64;
  });

  const ended = () => harness.sql`SELECT late_ms FROM attempts WHERE account_id = ${account.id}`;
  await waitFor("all are sent", async () => (await ended()).length === SCHEDULES);
  const latest = Math.max(...(await ended()).map((row) => Number(row.late_ms)));
  expectOnTime(latest, 1_000, stalled());
});
