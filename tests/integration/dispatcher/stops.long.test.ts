// Guards: dispatcher/shutdown.ts, dispatcher/lifecycle.ts, dispatcher/delivery/**, dispatcher/claiming/**
// Final: its verdict is about what was sent, and how often.
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import pino from "pino";
import { describe, expect, it } from "vitest";
import { startDispatcher } from "#dispatcher/dispatcher.ts";
import { Metrics } from "#dispatcher/observability/metrics.ts";
import { encodeId } from "#domain/ids.ts";
import { PREFETCH_HORIZON_MS } from "#domain/timing.ts";
import { freePort } from "#scripts/ports.ts";
import { insertSchedules } from "../../helpers/overdue.ts";
import { inMs } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { startDeliveryHarness } from "../../helpers/with-dispatch-harness.ts";

/** Counts the rows that were read ahead. */
class CountedReads extends Metrics {
  rows = 0;

  override read(rows: number): void {
    this.rows += rows;
    super.read(rows);
  }
}

// They run at once, each on a database of its own, since most of their time is waiting for leases.
describe.concurrent("a dispatcher that is stopped", () => {
  it("records what is on the wire, puts back what is not, hands its shards over and exits 0, at one signal or two", async () => {
    await using started = await startDeliveryHarness();
    const { receiver, harness } = started;
    const account = await harness.account();
    const port = await freePort();
    const child = await harness.process({ env: { DISPATCHER_PORT: String(port) } });
    const rowsRead = async () => {
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return Number(/^stopwatch_rows_read_total (\d+)$/m.exec(metrics)?.[1]);
    };
    receiver.respond((_request, response) => setTimeout(() => response.end("ok"), 1_500));
    const onTheWire: string[] = [];
    for (let n = 0; n < 50; n++) onTheWire.push(await harness.schedule(account, `${receiver.origin}/`, inMs(400)));
    await waitFor("all 50 are on the wire", () => receiver.requests.length === 50);
    const readBefore = await rowsRead();
    const later = await harness.schedule(account, `${receiver.origin}/later`, inMs(4_000));
    await waitFor("the later one is read ahead", async () => (await rowsRead()) > readBefore);
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    child.kill("SIGTERM");
    const [code] = await exited;
    expect(code).toBe(0);
    for (const id of onTheWire) expect(await harness.read(id)).toMatchObject({ status: "succeeded", attempts: 1 });
    expect(await harness.read(later)).toMatchObject({ status: "scheduled", attempts: 0 });
    const [held] = await harness.sql`SELECT count(*)::int AS n FROM shards WHERE owner IS NOT NULL`;
    expect(held?.n).toBe(0);

    const next = await harness.dispatcher();
    await waitFor("another sends the rest", async () => (await harness.read(later)).status === "succeeded");
    await next.stop();
  });

  it("reads no more schedules, also while claimed requests wait for a connection", async () => {
    await using started = await startDeliveryHarness();
    const { receiver, harness } = started;
    const target = new URL(receiver.origin);
    const accounts = await Promise.all(Array.from({ length: 20 }, async () => (await harness.account()).id));
    const held: ServerResponse[] = [];
    receiver.respond((_request, response) => held.push(response));
    // More than there are connections to the origin.
    await insertSchedules(harness.sql, accounts.slice(0, 10), target, { rows: 20, fromMs: 1_500 });
    const metrics = new CountedReads();
    const dispatcher = await startDispatcher(harness.config, {
      log: pino({ level: "silent" }),
      version: "0.0.0",
      metrics,
    });
    await waitFor("claimed requests wait", () => receiver.requests.length >= 64 && dispatcher.figures().unsent > 0);

    const stopping = dispatcher.stop();
    const before = metrics.rows;
    const comesSoon = { rows: 100, fromMs: PREFETCH_HORIZON_MS + 200 };
    await insertSchedules(harness.sql, accounts.slice(10), target, comesSoon);
    await waitFor("it has handed its shards over", () => dispatcher.figures().owned === 0);
    expect(metrics.rows).toBe(before);
    for (const response of held) response.end();
    await stopping;
  });

  it("by kill -9 loses nothing: what was on the wire is interrupted and repeated with the same webhook-id, the rest is sent once", async () => {
    await using started = await startDeliveryHarness();
    const { receiver, harness } = started;
    const account = await harness.account();
    const child = await harness.process();
    receiver.respond(() => {});
    const onTheWire: string[] = [];
    for (let n = 0; n < 20; n++) onTheWire.push(await harness.schedule(account, `${receiver.origin}/wire`, inMs(300)));
    const later: string[] = [];
    for (let n = 0; n < 20; n++) later.push(await harness.schedule(account, `${receiver.origin}/later`, inMs(3_000)));
    await waitFor("20 are on the wire", () => receiver.requests.length === 20);
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
    receiver.respond((_request, response) => response.end("ok"));
    await harness.sql`UPDATE schedules SET claim_deadline = now() WHERE status = 'firing'`;

    const next = await harness.dispatcher();
    await waitFor(
      "everything is delivered",
      async () => {
        const [row] = await harness.sql`
          SELECT count(*)::int AS n FROM schedules WHERE account_id = ${account.id} AND status = 'succeeded'`;
        return row?.n === 40;
      },
      40_000,
    );
    for (const id of onTheWire) {
      expect(await harness.attempts(id)).toMatchObject([
        {
          attempt: 1,
          outcome: "interrupted",
          status_code: null,
          latency_ms: 0,
          error_text: "interrupted: outcome unknown",
        },
        { attempt: 2, outcome: "delivered", status_code: 200 },
      ]);
      const sent = receiver.requests.filter(({ headers }) => headers["webhook-id"] === encodeId("sch", id));
      expect(sent.map(({ headers }) => headers["x-service-attempt"])).toEqual(["1", "2"]);
    }
    for (const id of later) expect(await harness.attempts(id)).toMatchObject([{ attempt: 1, outcome: "delivered" }]);
    expect(receiver.requests).toHaveLength(60);
    await next.stop();
  });

  it("and interrupts a schedule for the third time in a row makes it dead", async () => {
    await using started = await startDeliveryHarness();
    const { receiver, harness } = started;
    const account = await harness.account();
    const id = await harness.schedule(account, `${receiver.origin}/`, inMs(60_000));
    await harness.sql`
      UPDATE schedules SET status = 'firing', attempts = 3, interruptions = 2, version = version + 1,
        claimed_at = now() - interval '40 s', claim_deadline = now() - interval '5 s' WHERE id = ${id}`;
    const dispatcher = await harness.dispatcher();
    await waitFor("it is dead", async () => (await harness.read(id)).status === "dead", 30_000);
    expect(await harness.attempts(id)).toMatchObject([{ attempt: 3, outcome: "interrupted" }]);
    expect(receiver.requests).toHaveLength(0);
    await dispatcher.stop();
  });
});

// One after the other: the rate over a handover is measured.
describe("several dispatchers", () => {
  it("share the shards, deliver each schedule once, and one takes over what another gave up", async () => {
    await using started = await startDeliveryHarness();
    const { receiver, harness } = started;
    const accounts = await Promise.all(Array.from({ length: 20 }, () => harness.account()));
    const first = await harness.dispatcher();
    const second = await harness.dispatcher();
    await waitFor("both own about half", () => first.figures().owned === 32 && second.figures().owned === 32, 30_000);
    for (let n = 0; n < 200; n++) {
      await harness.schedule(accounts[n % 20] as never, `${receiver.origin}/`, inMs(1_000 + Math.random() * 1_000));
    }
    await waitFor("all arrive", () => receiver.requests.length >= 200);
    await first.stop();
    await waitFor("the second owns everything", () => second.figures().owned === 64, 20_000);
    expect(new Set(receiver.requests.map(({ headers }) => headers["webhook-id"])).size).toBe(200);
    expect(receiver.requests).toHaveLength(200);
    await second.stop();
  });

  it("hand shards over with a notice, before their leases end, and the account's rate holds across it", async () => {
    await using started = await startDeliveryHarness();
    const { receiver, harness } = started;
    const cps = 10;
    const account = await harness.account({ settings: { cps_limit: cps } });
    const first = await harness.dispatcher();
    await waitFor("the first owns everything", () => first.figures().owned === 64, 20_000);
    for (let n = 0; n < 60; n++) await harness.schedule(account, `${receiver.origin}/`, inMs(500));
    const second = await harness.dispatcher();
    await waitFor("some are sent", () => receiver.requests.length >= 15);
    const own = await harness.sql`SELECT id, epoch FROM shards WHERE owner = ${first.id}`;
    const epochs = () => harness.sql`SELECT id, epoch FROM shards WHERE id IN ${harness.sql(own.map(({ id }) => id))}`;
    const notices: string[] = [];
    await harness.sql.listen("stopwatch_due", (payload) => notices.push(payload));
    const stopping = first.stop();
    await waitFor("the second owns everything", () => second.figures().owned === 64);
    await waitFor("the second was told so", () => notices.includes("shards"));
    // Who gives a shard up counts its epoch up, and so does who takes it. A takeover after the lease does so once.
    const handedOver = own.map(({ id, epoch }) => ({ id, epoch: String(BigInt(epoch) + 2n) }));
    expect(new Set(await epochs())).toEqual(new Set(handedOver));
    await stopping;
    await waitFor("all arrive", () => receiver.requests.length === 60, 20_000);
    await waitFor("all are recorded", async () => {
      const [row] = await harness.sql`SELECT count(*)::int AS n FROM attempts WHERE account_id = ${account.id}`;
      return row?.n === 60;
    });
    const rows =
      await harness.sql`SELECT attempted_at FROM attempts WHERE account_id = ${account.id} ORDER BY attempted_at`;
    const times = rows.map((row) => (row.attempted_at as Date).getTime());
    for (const at of times) {
      expect(times.filter((other) => other >= at && other < at + 1_000).length).toBeLessThanOrEqual(cps);
    }
    await second.stop();
  });
});
