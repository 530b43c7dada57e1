// Guards: dispatcher/runtime/**, dispatcher/lifecycle.ts, domain/timing.ts
// Final: its verdict is about what was sent, and when.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { formatInstant } from "#domain/instant.ts";
import { SHARD_LEASE_MS } from "#domain/timing.ts";
import type { Receiver } from "#scripts/lab/receiver.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { expectOnTime } from "../../helpers/on-time.ts";
import { inMs } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withDispatchHarness } from "../../helpers/with-dispatch-harness.ts";

let receiver: Receiver;
let harness: DispatchHarness;
let account: Awaited<ReturnType<DispatchHarness["account"]>>;

withDispatchHarness({}, (made) => {
  ({ receiver, harness } = made);
});
beforeEach(async () => {
  account = await harness.account();
});
afterEach(() => harness.endProcesses());

const spread = (n: number, fromMs: number, overMs: number) =>
  Promise.all(
    Array.from({ length: n }, (_, nth) =>
      harness.schedule(account, `${receiver.origin}/`, inMs(fromMs + (overMs * nth) / n)),
    ),
  );

/**
 * A dispatcher process whose wall clock is `skewMs` ahead. It steps back by an hour at the first SIGUSR2 and forward at
 * the next.
 */
async function startSkewed(skewMs: number, env: Record<string, string> = {}) {
  const clock = `
    const real = Date.now;
    let skewMs = ${skewMs}, stepMs = -3600000;
    Date.now = () => real() + skewMs;
    process.on("SIGUSR2", () => { skewMs += stepMs; stepMs = -stepMs; });`;
  return harness.process({ env, preload: clock });
}

/** None early by the database's clock, and each sent once. */
async function expectNoneEarly(ids: string[]) {
  const delivered = async () => {
    const [row] = await harness.sql`
      SELECT count(*)::int AS n FROM schedules WHERE id = ANY (${ids}) AND status = 'succeeded' AND attempts = 1`;
    return row?.n === ids.length;
  };
  await waitFor("all are delivered", delivered);
  expect(receiver.requests).toHaveLength(ids.length);
  for (const { headers, arrivedAtMs } of receiver.requests) {
    // The receiver's clock differs from the database's by a few milliseconds.
    expect(arrivedAtMs).toBeGreaterThan(Date.parse(String(headers["x-service-fire-at"])) - 5);
  }
}
const latenessOf = async (ids: string[]) => {
  const rows = await harness.sql`SELECT offset_ms::int AS ms FROM schedules WHERE id = ANY (${ids})`;
  return rows.map((row) => row.ms as number);
};

describe("a dispatcher process whose wall clock is wrong", () => {
  it.each([900, -900, 30_000, -30_000])(
    "by %d ms sends nothing early and everything on time, and reports its skew",
    async (skewMs) => {
      await startSkewed(skewMs);
      const ids = await spread(20, 800, 800);
      await expectNoneEarly(ids);
      expectOnTime(Math.max(...(await latenessOf(ids))), 2_000);
      await waitFor("it reports its skew", async () => {
        const [row] = await harness.sql`SELECT skew_ms FROM heartbeats ORDER BY beat_at DESC LIMIT 1`;
        return row?.skew_ms !== null && Math.abs(Number(row?.skew_ms) - skewMs) < 200;
      });
    },
  );

  it("and steps an hour back and forward is late at most by the time to renew its leases", async () => {
    const process = await startSkewed(0);
    const ids = await spread(30, 500, 5_000);
    await waitFor("it is at work", () => receiver.requests.length >= 5);
    process.kill("SIGUSR2");
    await waitFor("it goes on", () => receiver.requests.length >= 12);
    process.kill("SIGUSR2");
    await expectNoneEarly(ids);
    expectOnTime(Math.max(...(await latenessOf(ids))), SHARD_LEASE_MS);
  });

  it("by its time zone writes instants in UTC", async () => {
    await startSkewed(0, { TZ: "America/New_York" });
    const fireAt = inMs(800);
    const id = await harness.schedule(account, `${receiver.origin}/`, fireAt);
    await expectNoneEarly([id]);
    expect(receiver.requests[0]?.headers["x-service-fire-at"]).toBe(formatInstant(fireAt.getTime()));
    const [attempt] = await harness.attempts(id);
    expect(Math.abs(Number(attempt?.attempted_at) - fireAt.getTime())).toBeLessThan(60_000);
  });
});

describe("a schedule that is due in weeks", () => {
  it("(25, 30, 400 days: longer than the longest timer) is not sent now, and keeps no dispatcher busy", async () => {
    const process = await startSkewed(0);
    const ids = await Promise.all(
      [25, 30, 400].map((days) => harness.schedule(account, `${receiver.origin}/`, inMs(days * 86_400_000))),
    );
    const soon = await spread(5, 1_000, 500);
    await expectNoneEarly(soon);
    for (const id of ids) expect(await harness.read(id)).toMatchObject({ status: "scheduled", attempts: 0 });
    expect(process.exitCode).toBeNull();
  });
});
