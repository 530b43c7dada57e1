import { afterAll, beforeAll, expect, it } from "vitest";
import { connectOrm, type OrmDatabase } from "#db/orm.ts";
import { createSchedule, type NewSchedule } from "#db/queries/schedules/create.ts";
import { createSchedules } from "#db/queries/schedules/create-bulk.ts";
import { updateScheduled } from "#db/queries/schedules/reschedule.ts";
import { NOW } from "#domain/fire-time.ts";
import type { Receiver } from "#scripts/lab/receiver.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { inMs } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withDispatchHarness } from "../../helpers/with-dispatch-harness.ts";
import { newSchedule } from "../db/lane-harness.ts";

let receiver: Receiver;
let harness: DispatchHarness;
let web: OrmDatabase;

withDispatchHarness({ hasDispatcher: true }, (made) => {
  ({ receiver, harness } = made);
});
beforeAll(() => {
  web = connectOrm({ url: harness.databaseUrl, name: "web", connectionsMax: 4 });
});
afterAll(() => web.close());

const LIMITS = { limit: 1_000, graceLimit: 1_000, earlyFire: false };
const WAIT_MS = 1_200;

it("a schedule with fireIn is sent after that time, whether created, in a batch or moved, and its lateness is counted; that of one that fires now is not", async () => {
  const account = await harness.account();
  const tenant = { accountId: account.id, env: "live" } as const;
  const asked = (fireTime: NewSchedule["fireTime"]): NewSchedule =>
    newSchedule(null, { fireTime, targetUrl: `${receiver.origin}/`, origin: receiver.origin });
  const wait = { inMs: WAIT_MS };

  const [alone, now] = [asked(wait), asked(NOW)];
  const batch = [asked(wait), asked(wait)];
  const moved = await harness.schedule(account, `${receiver.origin}/`, inMs(3_600_000));
  await web.run(10_000, async ({ sql, db }) => {
    for (const one of [alone, now]) await createSchedule(sql, tenant, LIMITS, one);
    await createSchedules(sql, tenant, LIMITS, batch, () => {});
    await updateScheduled(db, tenant, moved, { fireTime: wait, earlyFire: undefined });
  });

  const ids = [alone, now, ...batch].map(({ id }) => id).concat(moved);
  await waitFor("all are delivered", async () => {
    const [row] = await harness.sql`SELECT count(*)::int AS n FROM schedules WHERE status = 'succeeded'`;
    return row?.n === ids.length;
  });
  for (const id of ids) {
    const { fire_at, created_at, updated_at, fired_at, offset_ms } = await harness.read(id);
    if (id === now.id) expect(fire_at).toEqual(created_at);
    else if (id !== moved) expect(Number(fire_at) - Number(created_at)).toBe(WAIT_MS);
    expect(Number(offset_ms)).toBeGreaterThanOrEqual(0);
    expect(Number(fired_at) - Number(fire_at)).toBe(Number(offset_ms));
    expect(Number(updated_at)).toBeGreaterThan(Number(fire_at));
  }
  const [counted] = await harness.sql`
    SELECT (SELECT sum(n)::int FROM account_counts WHERE account_id = ${account.id} AND kind = 'offset') AS own,
      (SELECT sum(n)::int FROM account_counts WHERE account_id = ${account.id} AND kind = 'outcome') AS attempts,
      (SELECT sum(n)::int FROM shard_punctuality) AS public`;
  expect(counted).toEqual({ own: ids.length - 1, attempts: ids.length, public: ids.length - 1 });
});
