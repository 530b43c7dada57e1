// Guards: dispatcher/retention/**, db/queries/retention/**

import { it } from "vitest";
import type { Receiver } from "#scripts/lab/receiver.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { expectOnTime } from "../../helpers/on-time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withDispatchHarness } from "../../helpers/with-dispatch-harness.ts";

let receiver: Receiver;
let harness: DispatchHarness;

withDispatchHarness({}, (made) => {
  ({ receiver, harness } = made);
});

/** Stores `n` schedules that ended 100 days ago, each with a request of `bytes`. */
const addEnded = (accountId: string, n: number, bytes: number) => harness.sql`
  WITH made AS (
    INSERT INTO schedules (id, account_id, env, shard, status, early_fire, fire_at, ended_at, payload_size_bytes, sealed_bytes, origin)
    SELECT gen_random_uuid(), ${accountId}, 'live', 0, 'succeeded', false, now(), now() - interval '100 days', 1, ${bytes}, ''
    FROM generate_series(1, ${n}) RETURNING id)
  INSERT INTO schedule_requests (schedule_id, account_id, env, target_url, method, sealed, request_hash)
  SELECT id, ${accountId}, 'live', 'https://example.com/', 'POST', convert_to(repeat('x', ${bytes}), 'UTF8'), '\\x00' FROM made`;

it("retention is done by whichever dispatcher owns it, and delays no delivery", async () => {
  const [idle, busy] = [await harness.account({ plan: "free" }), await harness.account()];
  const isErased = async () =>
    (await harness.sql`SELECT FROM schedule_requests WHERE account_id = ${idle.id} AND sealed IS NOT NULL LIMIT 1`)
      .length === 0;
  const due = (ms: number) =>
    harness.schedule(busy, `${receiver.origin}/`, new Date(Date.now() + ms), { payload: "x" });
  await addEnded(idle.id, 5_000, 4_096);
  const first = await harness.dispatcher();
  await waitFor("it owns every shard", () => first.figures().owned === 64, 30_000);
  const ids = await Promise.all(Array.from({ length: 40 }, (_, n) => due(1_500 + n * 50)));
  await waitFor("the first erases", isErased);
  const rows = await waitFor("all are delivered", async () => {
    const done =
      await harness.sql`SELECT offset_ms::int FROM schedules WHERE id = ANY (${ids}) AND status = 'succeeded'`;
    return done.length === ids.length && done;
  });
  expectOnTime(Math.max(...rows.map((row) => row.offset_ms)), 2_000);

  await harness.dispatcher();
  await first.stop();
  await addEnded(idle.id, 500, 30);
  await harness.dispatcher();
  await waitFor("another erases", isErased);
});
