import { expect, it } from "vitest";
import { inMs } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { startDispatchStage } from "../../helpers/with-dispatch-bench.ts";

const SCHEDULES = 20;

it("schedules that were in memory when their shard was lost are sent on time when the same dispatcher takes it back at once", async () => {
  await using stage = await startDispatchStage();
  const { receiver, bench } = stage;
  const dispatcher = await bench.dispatcher();
  const account = await bench.account();
  for (let n = 0; n < SCHEDULES; n++)
    await bench.schedule(account, `${receiver.origin}/`, inMs(2_000 + (n * 1_500) / SCHEDULES));
  await waitFor("all are in memory", () => dispatcher.figures().planned === SCHEDULES);

  await bench.sql`UPDATE shards SET owner = NULL, lease_until = '-infinity', epoch = epoch + 1`;
  await bench.sql`SELECT pg_notify('stopwatch_due', 'shards')`;
  await waitFor("it lost its shards and took them back", async () => {
    const [row] = await bench.sql`SELECT count(owner)::int AS owned FROM shards`;
    return row?.owned === 64 && dispatcher.figures().owned === 64;
  });

  const ended = () => bench.sql`SELECT late_ms FROM attempts WHERE account_id = ${account.id}`;
  await waitFor("all are sent", async () => (await ended()).length === SCHEDULES);
  expect(Math.max(...(await ended()).map((row) => Number(row.late_ms)))).toBeLessThan(1_000);
});
