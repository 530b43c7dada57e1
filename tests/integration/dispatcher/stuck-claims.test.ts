// Final: its verdict is about when requests leave.
import { connect, type Socket } from "node:net";
import { expect, it } from "vitest";
import { encodeId } from "#domain/ids.ts";
import { startProxy } from "#scripts/lab/proxy.ts";
import { startReceiver } from "#scripts/lab/receiver.ts";
import { createTestDatabase } from "../../helpers/database.ts";
import { expectDeliveredOnce } from "../../helpers/delivered-once.ts";
import { createDispatchHarness } from "../../helpers/dispatch-harness.ts";
import { expectOnTime } from "../../helpers/on-time.ts";
import { countStalls } from "../../helpers/stalls.ts";
import { inMs } from "../../helpers/time.ts";
import { waitFor } from "../../helpers/wait-for.ts";

/** Schedules that are due a second later than those of the kept claim. */
const LATER = 20;

type Kept = "statement" | "answer";

/**
 * A proxy to the database at `port` that keeps the next claim, or its answer, once `keep` was called: nothing more passes on
 * that connection in this direction until `passOn`. Both ends stay open.
 */
async function startKeepingProxy(port: number) {
  const proxy = await startProxy(port);
  let next: Kept | null = null;
  const passOn: (() => void)[] = [];
  proxy.set((client) => {
    const server = connect({ port, host: "127.0.0.1", noDelay: true });
    const ends = [client, server];
    for (const socket of ends) {
      const end = () => {
        for (const one of ends) one.destroy();
      };
      socket.on("error", end).on("close", end);
    }
    let isOfClaims: boolean | undefined;
    const forward = (from: Socket, to: Socket, which: Kept) => {
      const kept: Buffer[] = [];
      let keeps = false;
      from.on("data", (chunk: Buffer) => {
        // The first packet names the pool.
        isOfClaims ??= chunk.includes("stopwatch-claim\0");
        if (isOfClaims && next === which && (which === "answer" || isStatement(chunk))) {
          next = null;
          keeps = true;
          passOn.push(() => to.write(Buffer.concat(kept)));
        }
        if (keeps) kept.push(chunk);
        else to.write(chunk);
      });
    };
    forward(client, server, "statement");
    forward(server, client, "answer");
  });
  return {
    port: proxy.port,
    keep(kept: Kept) {
      next = kept;
    },
    isKeeping: () => passOn.length > 0,
    passOn() {
      for (const one of passOn.splice(0)) one();
    },
    close: proxy.close,
  };
}

/** Whether a message to the server is Parse or Bind. */
const isStatement = (message: Buffer) => message[0] === 0x50 || message[0] === 0x42;

it.each<Kept>(["answer", "statement"])(
  "when a connection keeps the %s of a claim, its schedules are sent on time by a repeat, once, and later ones do not overtake them",
  async (kept) => {
    const database = await createTestDatabase();
    const proxy = await startKeepingProxy(Number(new URL(database.url).port));
    const receiver = await startReceiver({ tls: false });
    const through = new URL(database.serviceUrl);
    through.port = String(proxy.port);
    const harness = await createDispatchHarness(
      { DELIVERY_ALLOW: receiver.origin },
      { ...database, serviceUrl: through.href },
    );
    try {
      const dispatcher = await harness.dispatcher();
      await waitFor("it owns every shard", () => dispatcher.figures().owned === 64);
      const account = await harness.account();
      const create = (ms: number) => harness.schedule(account, `${receiver.origin}/`, inMs(ms));
      const ids = await Promise.all([create(300), create(310)]);
      await waitFor("its connections are open", () => receiver.requests.length === ids.length);

      const stalled = countStalls();
      for (let n = 0; n < 20; n++) ids.push(await create(1_500 + n));
      for (let n = 0; n < LATER; n++) ids.push(await create(2_500 + n));
      proxy.keep(kept);
      await waitFor("a claim is kept", proxy.isKeeping);
      await waitFor("all have arrived", () => receiver.requests.length >= ids.length);
      const late = await waitFor("all are recorded", async () => {
        const rows = await harness.sql`
          SELECT s.offset_ms::int AS ms FROM schedules s WHERE account_id = ${account.id} AND status = 'succeeded'`;
        return rows.length === ids.length && rows.map(({ ms }) => ms);
      });
      expectOnTime(Math.max(...late), 1_000, stalled());
      const arrived = receiver.requests.map(({ headers }) => String(headers["webhook-id"]));
      const earlier = ids.slice(0, -LATER).map((id) => encodeId("sch", id));
      expect(arrived.slice(0, -LATER).sort()).toEqual(earlier.sort());
      proxy.passOn();
      const last = await create(300);
      await expectDeliveredOnce({ sql: harness.sql, receiver }, [...ids, last]);
    } finally {
      await harness.close();
      await proxy.close();
      await receiver.close();
    }
  },
);
