import { describe, expect, it } from "vitest";
import { Demand } from "#dispatcher/admission/demand.ts";
import { WaitersByOrigin } from "#dispatcher/admission/waiters.ts";
import type { FurtherSockets } from "#dispatcher/connections/address-race.ts";
import type { Dialer, OpenResult } from "#dispatcher/connections/dialer.ts";
import type { Origin } from "#dispatcher/connections/origin.ts";
import { Origins } from "#dispatcher/connections/origins.ts";
import { Pool } from "#dispatcher/connections/pool.ts";
import type { Connection } from "#dispatcher/delivery/connection.ts";
import { type Delivery, newDelivery } from "#dispatcher/delivery/delivery.ts";
import { Holdings } from "#dispatcher/delivery/holdings.ts";

const KEY = "https://a.example";

/** A pool whose connections are open once `open` was called, in the order in which they were begun. */
function start(bounds: { perOrigin?: number; perAccount?: number; total?: number } = {}) {
  let now = 1_000;
  const limits = { perOrigin: 256, perAccount: 1_024, total: 4_096, ...bounds };
  const clock = { monotonic: () => now, now: () => now };
  const holdings = new Holdings(limits.perOrigin);
  const origins = new Origins({ holdings, monotonic: clock.monotonic });
  const begun: ((result: OpenResult) => void)[] = [];
  const further: FurtherSockets[] = [];
  const open = (_key: string, sockets: FurtherSockets) => {
    further.push(sockets);
    return new Promise<OpenResult>((resolve) => begun.push(resolve));
  };
  const dialer = { open } as unknown as Dialer;
  const onError = (error: unknown) => {
    throw error;
  };
  const pool = new Pool({ origins, opener: dialer, limits, clock: clock as never, onError });
  const waiters = new WaitersByOrigin(origins);
  const demand = new Demand({ origins, waiters, pool, limits, holdings, clock: clock as never });
  return {
    origins,
    pool,
    demand,
    waiters: waiters.at(KEY),
    acquire: (accountId: string, origin = KEY) =>
      pool.acquire(origins.originOf(origin), of(accountId, origin), () => 0),
    begun,
    further,
    origin: (key = KEY): Origin => origins.originOf(key),
    pass(ms: number) {
      now += ms;
    },
    async open() {
      for (const resolve of begun.splice(0)) resolve({ kind: "open", connection: connection(now) });
      await new Promise(setImmediate);
    },
    counts: () => {
      expect(pool.accounts.counts()).toEqual(pool.recount().byAccount);
      expect(pool.size).toBe(pool.recount().connections);
      return Object.fromEntries(pool.accounts.counts());
    },
  };
}

const connection = (openedAtMs: number): Connection => ({
  client: null as never,
  origin: KEY,
  connectMs: 1,
  roundTripMs: 1,
  openedAtMs,
  used: false,
  requestsLeft: Number.POSITIVE_INFINITY,
  hasUnread: false,
  reading: undefined,
  answeredAtMs: Number.NaN,
  broken: false,
  error: undefined,
  onBroken: undefined,
  onBytes: undefined,
  destroy() {},
});

let ids = 0;
const of = (accountId: string, origin = KEY): Delivery =>
  newDelivery({ id: String(++ids), accountId, origin, env: "live", dueAtMs: 3_000 } as never, 0, "ready");

describe("a connection", () => {
  it("counts for the account that it is opened for from the decision to open it until another account's request uses it", async () => {
    const { pool, origin, open, counts, acquire } = start();
    pool.open(origin(), "a");
    expect(counts()).toEqual({ "a all": 1, "a opening": 1, [`a ${KEY}`]: 1 });
    await open();
    expect(counts()).toEqual({ "a all": 1, [`a ${KEY}`]: 1 });
    const used = acquire("b") as Connection;
    expect(counts()).toEqual({ "b all": 1, "b busy": 1, [`b ${KEY}`]: 1 });
    pool.release(used, true);
    expect(counts()).toEqual({ "b all": 1, [`b ${KEY}`]: 1 });
    Object.assign(used, { broken: true });
    used.onBroken?.();
    expect(counts()).toEqual({});
    expect(pool.size).toBe(0);
  });

  it("is exchanged for the one that its new account is opening when that account may have no more to the origin", async () => {
    const { pool, origin, open, counts, acquire } = start({ perOrigin: 1 });
    pool.open(origin(), "a");
    await open();
    pool.open(origin(), "b");
    acquire("b");
    expect(counts()).toMatchObject({ "a all": 1, "a opening": 1, "b all": 1, "b busy": 1 });
  });

  it("for an account at its maximum replaces an idle connection of that account, and of no other", async () => {
    const { pool, origin, open, counts } = start({ perAccount: 1 });
    pool.open(origin("https://idle.example"), "a");
    pool.open(origin("https://other.example"), "b");
    await open();
    expect(pool.mayOpen(origin(), "a")).toBe(true);
    pool.open(origin(), "a");
    expect(counts()).toEqual({
      "a all": 1,
      "a opening": 1,
      [`a ${KEY}`]: 1,
      "b all": 1,
      "b https://other.example": 1,
    });
    expect(pool.mayOpen(origin("https://more.example"), "a")).toBe(false);
  });
});

describe("connections that are being opened", () => {
  it("are at most an eighth of the process's connections for one account, so that other accounts can open theirs", () => {
    const { pool, origin } = start({ total: 64 });
    let n = 0;
    while (pool.mayOpen(origin(`https://host-${n}.example`), "a"))
      pool.open(origin(`https://host-${n++}.example`), "a");
    expect(n).toBe(8);
    expect(pool.mayOpen(origin(), "b")).toBe(true);
    expect(pool.figures()).toMatchObject({ open: 0, opening: 8, max: 64 });
  });
});

describe("sockets of an opening that tries several addresses", () => {
  it("count as connections that are being opened, for the account that the opening counts for, while they are open", async () => {
    const { pool, origin, further, open, counts } = start();
    pool.open(origin(), "a");
    const [tries] = further as [FurtherSockets];
    expect([tries.begin(), tries.begin()]).toEqual([true, true]);
    expect(counts()).toEqual({ "a all": 3, "a opening": 3, [`a ${KEY}`]: 3 });
    expect(pool.figures()).toMatchObject({ open: 0, opening: 3 });
    tries.end();
    expect(counts()).toMatchObject({ "a all": 2 });
    tries.end();
    await open();
    expect(counts()).toEqual({ "a all": 1, [`a ${KEY}`]: 1 });
  });

  it("have the limits of connections: an account's share of those being opened, at the origin, and in all", () => {
    const countBegun = ([tries]: FurtherSockets[]) => {
      for (let n = 0; ; n++) if (n === 100 || !tries?.begin()) return n;
    };
    for (const [bounds, max] of [
      [{ total: 64 }, 8],
      [{ perOrigin: 3 }, 3],
      [{ perAccount: 5 }, 5],
    ] as const) {
      const { pool, origin, further, counts } = start(bounds);
      pool.open(origin(), "a");
      expect(countBegun(further)).toBe(max - 1);
      expect(counts()).toMatchObject({ "a all": max });
      pool.open(origin("https://b.example"), "b");
      expect(further[1]?.begin()).toBe(true);
    }
  });

  it("stay with their account when another account's request takes a connection in exchange", async () => {
    const { pool, origin, further, open, begun, counts, acquire } = start({ perOrigin: 2 });
    pool.open(origin(), "a");
    await open();
    pool.open(origin(), "b");
    further[1]?.begin();
    acquire("b");
    expect(counts()).toMatchObject({ "b opening": 2 });
    further[1]?.end();
    expect(begun).toHaveLength(1);
    await open();
    expect(counts()).toEqual({ "b all": 2, "b busy": 1, [`b ${KEY}`]: 2 });
  });
});

describe("unused connections", () => {
  it("are kept up to the peak use of the last minute, while the origin is in use", async () => {
    const { pool, demand, origin, open, pass, acquire } = start();
    for (let n = 0; n < 10; n++) pool.open(origin(), "a");
    await open();
    const used = [1, 2, 3].map(() => acquire("a") as Connection);
    for (const each of used) pool.release(each, true);
    let dueAtMs = 100_000;
    const everySecond = () => {
      pass(1_000);
      dueAtMs += 1_000;
      demand.expect({ ...of("a"), sendAtMs: dueAtMs });
      demand.runOnce();
    };
    for (let second = 0; second < 3; second++) everySecond();
    expect(pool.size).toBe(10);
    for (let second = 0; second < 3; second++) everySecond();
    expect(pool.size).toBe(3);
  });
});

describe("a fast origin", () => {
  it("gets no more connections when its answers are late only because this busy process has not read them", async () => {
    const connectionsWith = async (confirmedMs: number) => {
      const { pool, demand, origin, open, pass, acquire, waiters } = start();
      for (let n = 0; n < 64; n++) pool.open(origin(), "a");
      await open();
      for (let n = 0; n < 100; n++) {
        const used = acquire("a") as Connection;
        pass(1);
        pool.answered(used, n === 0 ? 1 : 80, confirmedMs);
        pool.release(used, true);
      }
      for (let n = 0; n < 500; n++) waiters.ready.push(of("a"));
      demand.meet(waiters);
      demand.runOnce();
      return pool.size;
    };
    expect(await connectionsWith(10)).toBe(64);
    expect(await connectionsWith(80)).toBeGreaterThan(64);
  });

  it("gets one more connection for each request that others overtake, and for no other", async () => {
    const { pool, demand, origin, open, pass, acquire, waiters } = start();
    for (let n = 0; n < 64; n++) pool.open(origin(), "a");
    await open();
    const hanging = Array.from({ length: 20 }, () => acquire("a"));
    expect(hanging).not.toContain(undefined);
    const rest = Array.from({ length: 44 }, () => acquire("a") as Connection);
    const round = () => {
      for (const each of rest) {
        pool.answered(each, 5, 5);
        pool.release(each, true);
      }
      for (const n of rest.keys()) rest[n] = acquire("a") as Connection;
    };
    waiters.ready.push(of("a"));
    demand.meet(waiters);
    demand.runOnce();
    expect(origin().allowance.connections).toBe(64);
    for (let n = 0; n < 4; n++) round();
    pass(100);
    waiters.ready.push(of("a"));
    for (let n = 0; n < 40; n++) waiters.ready.push(of("a"));
    demand.meet(waiters);
    demand.runOnce();
    expect(pool.size).toBe(64 + 20);
  });
});
