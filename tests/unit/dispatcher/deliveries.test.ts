import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DueSchedule } from "#db/queries/schedules/due.ts";
import { Deliveries, type Released } from "#dispatcher/delivery/deliveries.ts";
import type { Delivery } from "#dispatcher/delivery/delivery.ts";
import { type DeliveryState, IllegalTransition, STATES } from "#dispatcher/delivery/states.ts";
import { dueSchedule } from "#tests/helpers/due-schedule.ts";

const ALL = Object.keys(STATES) as DeliveryState[];
const CONNECTIONS_PER_PLACE = 2;

const due = (overrides: Partial<DueSchedule> = {}): DueSchedule =>
  dueSchedule({ origin: "https://example.com", bytes: 100, ...overrides });

const NOBODY: Released = { slot() {}, connection() {}, bytes() {}, memory() {} };

function start(released: Partial<Released> = {}) {
  const clock = { now: () => 5_000, monotonic: () => 0 };
  const deliveries = new Deliveries({ clock, connectionsPerPlace: CONNECTIONS_PER_PLACE });
  deliveries.connect({}, { ...NOBODY, ...released });
  return deliveries;
}

/** The shortest path of states from "known" to `to`. */
function wayTo(to: DeliveryState): DeliveryState[] {
  const ways: DeliveryState[][] = [["known"]];
  for (const way of ways) {
    const last = way.at(-1) as DeliveryState;
    if (last === to) return way.slice(1);
    for (const next of STATES[last].next) if (!way.includes(next)) ways.push([...way, next]);
  }
  throw new Error(`no way leads to ${to}`);
}

function deliveryIn(deliveries: Deliveries, state: DeliveryState, overrides?: Partial<DueSchedule>): Delivery {
  const delivery = deliveries.add(due(overrides), 0);
  for (const next of wayTo(state)) deliveries.move(delivery, next);
  return delivery;
}

describe("the table of states", () => {
  it("has a path from the first state to each state, and from each state to a final one", () => {
    const ends = new Set(ALL.filter((state) => STATES[state].next.size === 0));
    expect([...ends].sort()).toEqual(["recorded", "removed"]);
    for (const state of ALL) {
      expect(() => wayTo(state)).not.toThrow();
      const reached = new Set([state]);
      for (const one of reached) for (const next of STATES[one].next) reached.add(next);
      expect(
        [...reached].some((one) => ends.has(one)),
        state,
      ).toBe(true);
    }
  });

  it("lets no request be sent without a claim, a slot of its lane and a connection", () => {
    for (const state of ALL.filter((one) => (STATES[one].next as ReadonlySet<string>).has("sent"))) {
      expect(STATES[state].held).toMatchObject({ claim: true, slot: true, connection: "assigned" });
    }
  });

  it("holds nothing in a final state", () => {
    for (const state of ["recorded", "removed"] as const) {
      expect(Object.values(STATES[state].held).filter((held) => held !== false && held !== null)).toEqual([]);
    }
  });
});

describe("a transition", () => {
  it("that the table does not have is refused with an error that names both states, and changes nothing", () => {
    for (const from of ALL) {
      for (const to of ALL.filter((state) => !(STATES[from].next as ReadonlySet<string>).has(state))) {
        const deliveries = start();
        const delivery = deliveryIn(deliveries, from);
        const before = deliveries.holdings.entries();
        expect(() => deliveries.move(delivery, to)).toThrow(IllegalTransition);
        expect(() => deliveries.move(delivery, to)).toThrow(`from "${from}" to "${to}"`);
        expect(delivery.state).toBe(from);
        expect(deliveries.holdings.entries()).toEqual(before);
      }
    }
  });

  it("keeps every counter equal to what the deliveries hold by their states, in any sequence of transitions", () => {
    const step = fc.record({ at: fc.nat(), to: fc.nat(), account: fc.nat({ max: 2 }), origin: fc.nat({ max: 2 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const deliveries = start();
        const living: Delivery[] = [];
        for (const { at, to, account, origin } of steps) {
          const delivery = living[at % (living.length + 1)];
          if (!delivery) {
            living.push(deliveries.add(due({ accountId: `a${account}`, origin: `https://o${origin}` }), 0));
            continue;
          }
          const next = [...STATES[delivery.state].next];
          deliveries.move(delivery, next[to % next.length] as DeliveryState);
          if (STATES[delivery.state].next.size === 0) living.splice(living.indexOf(delivery), 1);
        }
        expect(deliveries.holdings.entries()).toEqual(deliveries.recount().entries());
        expect(deliveries.size).toBe(deliveries.holdings.memory);
      }),
    );
  });

  it("of every delivery to a final state leaves every counter at zero", () => {
    const deliveries = start();
    const all = ALL.map((state) => deliveryIn(deliveries, state));
    for (const delivery of all) {
      while (STATES[delivery.state].next.size > 0) {
        // The last transition of each state is the one that ends soonest.
        deliveries.move(delivery, [...STATES[delivery.state].next].at(-1) as DeliveryState);
      }
    }
    expect(deliveries.holdings.entries()).toEqual(new Map());
    expect(deliveries.size).toBe(0);
  });

  it("reports what it released once, after the delivery is in its new state", () => {
    const released: string[] = [];
    const deliveries = start({
      slot: ({ state }) => released.push(`slot, ${state}`),
      connection: ({ state }) => released.push(`connection, ${state}`),
      bytes: () => released.push("bytes"),
      memory: ({ state }) => released.push(`memory, ${state}`),
    });
    const delivery = deliveryIn(deliveries, "writing");
    expect(released).toEqual([]);
    deliveries.move(delivery, "sent");
    expect(released.splice(0)).toEqual(["bytes", "slot, sent"]);
    deliveries.end(delivery, { kind: "delivered", statusCode: 200 });
    expect(released.splice(0)).toEqual([]);
    deliveries.move(delivery, "recording");
    expect(released.splice(0)).toEqual(["connection, recording"]);
    deliveries.move(delivery, "recorded");
    expect(released).toEqual(["memory, recorded"]);
  });

  it("hands the delivery to the stage of its new state, with its former state", () => {
    const seen: unknown[] = [];
    const deliveries = start();
    deliveries.connect(
      {
        known: (_, from) => seen.push(["known", from]),
        "awaiting connection": (_, from) => seen.push(["awaiting connection", from]),
      },
      NOBODY,
    );
    const delivery = deliveryIn(deliveries, "awaiting connection");
    deliveries.move(delivery, "known");
    expect(seen).toEqual([
      ["known", null],
      ["awaiting connection", "known"],
      ["known", "awaiting connection"],
    ]);
  });
});

describe("the demand for connections", () => {
  it("counts no more connections to an origin than the account may have, and adds up several accounts", () => {
    const deliveries = start();
    const origin = "https://one.example";
    for (let n = 0; n < 5; n++) deliveryIn(deliveries, "awaiting connection", { accountId: "a", origin });
    expect(deliveries.holdings.wantedByOrigin.get(origin)).toBe(CONNECTIONS_PER_PLACE);
    deliveryIn(deliveries, "awaiting connection", { accountId: "b", origin });
    expect(deliveries.holdings.wantedByOrigin.get(origin)).toBe(CONNECTIONS_PER_PLACE + 1);
  });

  it("counts a reservation for account and origin until its request is over, even when another connection replaces the first", () => {
    const deliveries = start();
    const delivery = deliveryIn(deliveries, "writing");
    const used = () => deliveries.holdings.connectionsByPlace.get(delivery.place) ?? 0;
    expect(used()).toBe(1);
    deliveries.move(delivery, "ready");
    expect(used()).toBe(1);
    deliveries.move(delivery, "writing");
    deliveries.move(delivery, "sent");
    deliveries.end(delivery, { kind: "delivered", statusCode: 200 });
    deliveries.move(delivery, "draining");
    expect(used()).toBe(1);
    deliveries.move(delivery, "recorded");
    expect(used()).toBe(0);
  });
});

describe("a newer version of a schedule", () => {
  it("replaces the one in memory only while nothing is in flight for it", () => {
    const deliveries = start();
    const all = ALL.map((state) => deliveryIn(deliveries, state));
    deliveries.removeUnclaimed(() => true);
    const removed = all.filter(({ state }) => state === "removed").length - 1;
    expect(removed).toBe(4);
    expect(deliveries.count("known", "awaiting connection", "awaiting slot", "refused")).toBe(0);
  });
});
