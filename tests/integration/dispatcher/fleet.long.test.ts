// Guards: dispatcher/shards.ts, dispatcher/lifecycle.ts, db/queries/fleet/**, dispatcher/membership.ts

import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { SHARD_LEASE_MS, TAKEOVER_PAUSE_MS } from "#domain/timing.ts";
import type { Receiver } from "#scripts/lab/receiver.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { expectOnTime } from "../../helpers/on-time.ts";
import { pause } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withDispatchHarness } from "../../helpers/with-dispatch-harness.ts";

const KILLS = 6;
const SPACING_MS = 200;
/** Far longer than a delivery takes, and far shorter than the delay by a shard without an owner. */
const LATE_MAX_MS = 4_000;
/** Counted from the end of the last lease. A late poll, or a dead dispatcher that still counts, would take longer. */
const TAKEOVER_WITHIN_MS = 3_000;

let receiver: Receiver;
let harness: DispatchHarness;

withDispatchHarness({ isPerTest: true }, (made) => {
  ({ receiver, harness } = made);
});

/** Starts a dispatcher process and ends it by kill -9 as soon as its first heartbeat is stored. */
async function beginAndKill() {
  const child = harness.spawn();
  const exited = once(child, "exit");
  await waitFor("its heartbeat is there", async () => {
    const rows = await harness.sql`SELECT FROM dispatchers WHERE pid = ${child.pid as number}`;
    return rows.length > 0;
  });
  child.kill("SIGKILL");
  await exited;
}

describe("a dispatcher", () => {
  it("keeps every shard and stays on time beside another one that is killed again and again", async () => {
    const healthy = await harness.dispatcher();
    await waitFor("it owns every shard", () => healthy.figures().owned === 64);
    const accounts = await Promise.all(Array.from({ length: 20 }, () => harness.account()));
    const owned = new Set<number>();
    let isOver = false;
    const scheduling = (async () => {
      for (let n = 0; !isOver; n++) {
        owned.add(healthy.figures().owned);
        const fireAt = new Date(Date.now() + 500);
        await harness.schedule(accounts[n % accounts.length] as never, `${receiver.origin}/`, fireAt);
        await pause(SPACING_MS);
      }
    })();
    for (let n = 0; n < KILLS; n++) await beginAndKill();
    isOver = true;
    await scheduling;

    const rows = await waitFor("everything is delivered", async () => {
      const found = await harness.sql`SELECT status, offset_ms::int FROM schedules`;
      return found.every(({ status }) => status === "succeeded") && found;
    });
    expect([...owned]).toEqual([64]);
    expect(rows.length).toBeGreaterThan(KILLS);
    expectOnTime(Math.max(...rows.map((row) => row.offset_ms)), LATE_MAX_MS);
  });

  it("has its share once it is settled, and when it is killed, the other takes over as soon as its leases have ended", async () => {
    const survivor = await harness.dispatcher();
    await waitFor("it owns every shard", () => survivor.figures().owned === 64);
    const child = harness.spawn();
    const exited = once(child, "exit");
    await waitFor(
      "each owns half",
      async () => {
        const rows = await harness.sql`SELECT count(*)::int AS n FROM shards GROUP BY owner`;
        return rows.length === 2 && rows.every(({ n }) => n === 32);
      },
      45_000,
    );
    child.kill("SIGKILL");
    await exited;
    const [lease] = await harness.sql`
      SELECT extract(epoch FROM max(beat_at))::float8 * 1000 + ${SHARD_LEASE_MS} AS ends_at_ms FROM heartbeats
      WHERE dispatcher_id <> ${survivor.id}`;
    await waitFor("the survivor owns every shard", () => survivor.figures().owned === 64, 20_000);
    const [now] = await harness.sql`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms`;
    expect(now?.ms - lease?.ends_at_ms - TAKEOVER_PAUSE_MS).toBeLessThan(TAKEOVER_WITHIN_MS);
  });
});
