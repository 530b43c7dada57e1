// Guards: dispatcher/runtime/**, domain/timing.ts, db/functions/**
// Final: its verdict is about what was sent, and when.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { formatInstant } from "#domain/instant.ts";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { createDispatchHarness, type DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { makeClockMovable } from "../../helpers/movable-clock.ts";
import { expectOnTime } from "../../helpers/on-time.ts";
import { pause } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const HOUR_MS = 3_600_000;

let receiver: Receiver;
let harness: DispatchHarness;
let clock: Awaited<ReturnType<typeof makeClockMovable>>;
let account: Awaited<ReturnType<DispatchHarness["account"]>>;

beforeAll(async () => {
  receiver = await startReceiver({ tls: false });
});
afterAll(() => receiver.close());
beforeEach(async () => {
  receiver.requests.length = 0;
  receiver.respond((_request, response) => response.end("ok"));
  harness = await createDispatchHarness({ DELIVERY_ALLOW: receiver.origin });
  clock = await makeClockMovable(harness.sql);
});
afterEach(() => harness.close());

async function start(env: Record<string, string> = {}) {
  account = await harness.account();
  return harness.process({ env });
}

/** Creates a schedule that is due at an instant of the database's clock. */
const due = (at: string | number) => harness.schedule(account, `${receiver.origin}/`, new Date(at));
const dueIn = async (ms: number) => due((await clock.read()) + ms);
const settled = async (id: string) => {
  await waitFor("it is settled", async () => ["succeeded", "dead"].includes((await harness.read(id)).status), 20_000);
  return harness.read(id);
};

describe("at an edge of the calendar", () => {
  it.each([
    ["the leap day begins", "2028-02-29T00:00:00.000Z"],
    ["the leap day ends", "2028-03-01T00:00:00.000Z"],
    ["the year ends", "2029-01-01T00:00:00.000Z"],
    ["clocks go forward in New York", "2028-03-12T07:00:00.000Z"],
    ["clocks go back in New York", "2028-11-05T06:00:00.000Z"],
  ])("(%s) a schedule fires at its instant, and everything is counted in UTC", async (_, edge) => {
    const edgeMs = Date.parse(edge);
    await clock.set(formatInstant(edgeMs - 9_000));
    await start({ TZ: "America/New_York" });
    await clock.set(formatInstant(edgeMs - 3_000));
    const instants = [edgeMs - 1, edgeMs, edgeMs + 1];
    const ids: string[] = [];
    for (const at of instants) ids.push(await due(at));
    await waitFor("the edge has passed", async () => (await clock.read()) > edgeMs);
    const after = await dueIn(500);
    for (const [n, id] of ids.entries()) {
      const row = await settled(id);
      expect(row).toMatchObject({ status: "succeeded", attempts: 1 });
      expect(Number(row.offset_ms)).toBeGreaterThanOrEqual(0);
      // A fault would be off by an hour or a day. The bench measures punctuality.
      expectOnTime(Number(row.offset_ms), 5_000);
      expect(row.fired_at).toEqual(new Date((instants[n] as number) + Number(row.offset_ms)));
    }
    await settled(after);
    expect(receiver.requests.map(({ headers }) => headers["x-service-fire-at"]).slice(0, 3)).toEqual(
      instants.map(formatInstant),
    );
    const days = await harness.sql`
      SELECT to_char(attempted_at AT TIME ZONE 'utc', 'YYYY-MM-DD') AS day, count(*)::int AS n FROM attempts GROUP BY 1`;
    for (const { day } of days) expect([edge.slice(0, 10), formatInstant(edgeMs - 1).slice(0, 10)]).toContain(day);
    const usage = await harness.sql`SELECT period, scheduled FROM usage ORDER BY period`;
    const [before, from] = [edgeMs - 1, edgeMs].map((ms) => formatInstant(ms).slice(0, 7).replace("-", ""));
    expect(usage.map((row) => [row.period, row.scheduled])).toEqual(
      before === from
        ? [[from, 4]]
        : [
            [before, 3],
            [from, 1],
          ],
    );
  });
});

describe("a step of the database's clock", () => {
  it("forward takes no shard from a living dispatcher", async () => {
    for (let n = 0; n < 3; n++) await harness.dispatcher();
    const leases = async () => {
      const rows = await harness.sql`SELECT id, owner, epoch FROM shards ORDER BY id`;
      return rows.map(({ id, owner, epoch }) => `${id} ${owner} ${epoch}`);
    };
    let before: string[] = [];
    await waitFor("their shares have settled", async () => {
      const now = await leases();
      const isSame = now.join() === before.join() && new Set(now.map((one) => one.split(" ")[1])).size === 3;
      before = now;
      await pause(2_500);
      return isSame;
    });
    await clock.step(HOUR_MS);
    for (let n = 0; n < 20; n++) {
      expect(await leases()).toEqual(before);
      await pause(250);
    }
  });

  it("forward does not affect requests in flight, which are recorded once and not sent again", async () => {
    await start();
    receiver.respond((_request, response) => setTimeout(() => response.end("ok"), 3_000));
    const ids = [await dueIn(1_500), await dueIn(1_600)];
    const later = await dueIn(HOUR_MS / 2);
    await waitFor("they are on the wire", () => receiver.requests.length === 2);
    await clock.step(HOUR_MS);
    for (const id of ids) expect(await settled(id)).toMatchObject({ status: "succeeded", attempts: 1 });
    // Due by the database's clock, which is the only one that counts.
    expect(await settled(later)).toMatchObject({ status: "succeeded", attempts: 1 });
    expect(receiver.requests).toHaveLength(3);
  });

  it("back sends nothing early: schedules wait until the clock reaches their instants", async () => {
    await start();
    const id = await dueIn(2_500);
    await clock.step(-HOUR_MS);
    await pause(5_000);
    expect(receiver.requests).toHaveLength(0);
    expect(await harness.read(id)).toMatchObject({ status: "scheduled", attempts: 0 });
    await clock.step(HOUR_MS);
    expect(await settled(id)).toMatchObject({ status: "succeeded", attempts: 1 });
    expect(receiver.requests).toHaveLength(1);
  });

  it("back and forth under load sends each schedule once, and none before its instant", async () => {
    await start();
    const ids: string[] = [];
    for (let n = 0; n < 40; n++) ids.push(await dueIn(1_500 + n * 100));
    await waitFor("it is at work", () => receiver.requests.length >= 5);
    await clock.step(-1_200);
    await waitFor("it goes on", () => receiver.requests.length >= 15);
    await clock.step(1_200);
    for (const id of ids) {
      const row = await settled(id);
      expect(row).toMatchObject({ status: "succeeded", attempts: 1 });
      expect(Number(row.offset_ms)).toBeGreaterThanOrEqual(0);
    }
    expect(receiver.requests).toHaveLength(ids.length);
  });
});
