import { describe, expect, it } from "vitest";
import { createAdmission } from "#dispatcher/admission/create-admission.ts";
import type { Dialer, OpenResult } from "#dispatcher/connections/dialer.ts";
import { Origins } from "#dispatcher/connections/origins.ts";
import { Pool } from "#dispatcher/connections/pool.ts";
import type { Connection } from "#dispatcher/delivery/connection.ts";
import { Deliveries } from "#dispatcher/delivery/deliveries.ts";
import type { Delivery } from "#dispatcher/delivery/delivery.ts";
import type { DeliveryState } from "#dispatcher/delivery/states.ts";
import { CONNECTIONS } from "#dispatcher/tuning/connections.ts";
import { RESERVED } from "#dispatcher/tuning/delivery.ts";
import { dueSchedule } from "#tests/helpers/due-schedule.ts";

const ORIGIN = "https://a.example";
const TO_READY: DeliveryState[] = ["awaiting slot", "admitted", "claiming", "claimed", "prepared", "ready"];

/** A waiting list for one origin. Its connections are open once `open` was called. */
function start() {
  let now = 1_000;
  const clock = { monotonic: () => now, now: () => now } as never;
  const limits = { perOrigin: 256, perAccount: 1_024, total: 4_096 };
  const deliveries = new Deliveries({ clock, connectionsPerPlace: limits.perOrigin });
  const { holdings } = deliveries;
  const origins = new Origins({ holdings, monotonic: () => now });
  const begun: ((result: OpenResult) => void)[] = [];
  const dialer = { open: () => new Promise<OpenResult>((resolve) => begun.push(resolve)) } as unknown as Dialer;
  const onError = (error: unknown) => {
    throw error;
  };
  const pool = new Pool({ origins, opener: dialer, limits, clock, onError });
  const { readyList, waitingList } = createAdmission({ deliveries, origins, pool, limits, clock });
  deliveries.connect(
    { ready: (delivery) => readyList.add(delivery) },
    {
      slot() {},
      bytes() {},
      memory() {},
      connection: (delivery: Delivery) => waitingList.onConnectionReleased(delivery),
    },
  );
  const known = (accountId: string, dueAtMs = now) =>
    deliveries.add(dueSchedule({ accountId, dueAtMs, origin: ORIGIN, bytes: 100 }), 0);
  const waits = (delivery: Delivery) => {
    deliveries.move(delivery, "awaiting connection");
    waitingList.add(delivery);
  };
  return {
    deliveries,
    pool,
    readyList,
    waitingList,
    begun,
    known,
    origin: origins.originOf(ORIGIN),
    pass(ms: number) {
      now += ms;
    },
    /** A delivery that is claimed and due. */
    ready(accountId: string): Delivery {
      const delivery = known(accountId);
      for (const state of TO_READY) deliveries.move(delivery, state);
      return delivery;
    },
    /** A delivery that waits for a connection before its claim. */
    waiting(accountId: string): Delivery {
      const delivery = known(accountId);
      waits(delivery);
      return delivery;
    },
    waits,
    reserve(delivery: Delivery) {
      for (const state of ["awaiting slot", "admitted"] as const) deliveries.move(delivery, state);
    },
    async open() {
      for (let round = 0; round < 10 && begun.length > 0; round++) {
        for (const resolve of begun.splice(0)) resolve({ kind: "open", connection: connection(now) });
        await new Promise(setImmediate);
      }
    },
  };
}

const connection = (openedAtMs: number): Connection => ({
  client: null as never,
  origin: ORIGIN,
  connectMs: 1,
  roundTripMs: 1,
  openedAtMs,
  used: false,
  broken: false,
  requestsLeft: Number.POSITIVE_INFINITY,
  hasUnread: false,
  reading: undefined,
  answeredAtMs: Number.NaN,
  error: undefined,
  onBroken: undefined,
  onBytes: undefined,
  destroy() {},
});

/** One account has a request on every connection that its origin is allowed, and none is answered. */
async function startHanging() {
  const started = start();
  const hanging = Array.from({ length: CONNECTIONS.fastOriginMax }, () => started.ready("hangs"));
  await started.open();
  expect(hanging.map(({ state }) => state)).toEqual(hanging.map(() => "writing"));
  started.pass(100);
  return started;
}

describe("an origin whose allowed connections all have a hanging request of one account", () => {
  it("gets another connection for a claimed request of an account with few requests", async () => {
    const { ready, open, origin } = await startHanging();
    const other = ready("answers");
    await open();
    expect(other.state).toBe("writing");
    expect(origin.busy.size).toBe(CONNECTIONS.fastOriginMax + 1);
  });

  it("lets a delivery of an account with few requests be claimed, and none of the account with many", async () => {
    const { waiting, begun } = await startHanging();
    expect(waiting("hangs").state).toBe("awaiting connection");
    expect(waiting("answers").state).toBe("awaiting slot");
    expect(begun).toEqual([]);
  });

  it("keeps a connection that becomes free for accounts with few requests", async () => {
    const { ready, open, origin, pool, waitingList } = await startHanging();
    const other = ready("answers");
    await open();
    const more = ready("hangs");
    pool.release(other.connection as Connection, true);
    waitingList.onConnectionReleased(other);
    expect(more.state).toBe("ready");
    expect(origin.warm).toHaveLength(1);
    expect(ready("answers").state).toBe("writing");
  });

  it("gives a connection that becomes free to an account with many claimed requests of which none is on the wire", async () => {
    const { ready, open, pool, waitingList } = await startHanging();
    const other = ready("answers");
    await open();
    const waiting = Array.from({ length: 6 }, () => ready("waits"));
    expect(waiting.map(({ state }) => state)).toEqual(waiting.map(() => "ready"));
    pool.release(other.connection as Connection, true);
    waitingList.onConnectionReleased(other);
    expect(waiting[0]?.state).toBe("writing");
  });

  it("has a bounded number of spare connections, however many accounts with few requests there are", async () => {
    const { ready, open, origin } = await startHanging();
    for (let n = 0; n < 2 * RESERVED.ofOrigin; n++) {
      ready(`few-${n}`);
      await open();
    }
    expect(origin.busy.size).toBe(CONNECTIONS.fastOriginMax + RESERVED.ofOrigin);
  });

  it("lets a bounded number of deliveries be claimed before their spare connections exist", async () => {
    const { waiting } = await startHanging();
    const all = Array.from({ length: 2 * RESERVED.ofOrigin }, (_, n) => waiting(`few-${n}`));
    expect(all.filter(({ state }) => state === "awaiting slot")).toHaveLength(RESERVED.ofOrigin);
  });
});

describe("what was put back since its origin answered nothing", () => {
  it("is not overtaken by what is due after it, which waits for a connection too", async () => {
    const { ready, waiting, waits, known, open, pass, readyList, deliveries } = await startHanging();
    const first = ready("few");
    pass(1_500);
    expect(readyList.takeStalled()).toEqual([first]);
    deliveries.move(first, "releasing");
    const second = waiting("few");
    expect(second.state).toBe("awaiting connection");
    deliveries.move(first, "removed");
    const again = known("few", first.dueAtMs);
    waits(again);
    await open();
    expect([again.state, second.state]).toEqual(["awaiting slot", "awaiting slot"]);
  });
});

it("a delivery that is on time is not admitted while a late one of its account waits for the same origin", async () => {
  const { ready, open, pool, known, pass, waitingList, reserve, waits } = start();
  const answered = ready("x");
  await open();
  // The origin answers fast, so what is on time may be claimed although no connection is left for it.
  pool.answered(answered.connection as Connection, 1, 1);
  pool.release(answered.connection as Connection, true);
  for (let n = 0; n < 400; n++) reserve(known(`crowd-${n % 2}`));
  const late = known("a");
  pass(1_000);
  waits(late);
  expect(late.state).toBe("awaiting connection");
  const [own, other] = [known("a"), known("b")];
  expect([waitingList.hasRoom(own), waitingList.hasRoom(other)]).toEqual([false, true]);
});
