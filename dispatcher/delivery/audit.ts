import type { Deliveries } from "./deliveries.ts";
import type { DeliveryState } from "./states.ts";

/** A stage that stores deliveries. */
type Keeper = { count(): number };

/** What the stages store, to compare with the deliveries' states. */
export type AuditedStages = {
  dueQueue: Keeper;
  waitingList: { counts(): { waiting: number; ready: number } };
  rates: { slots(): ReadonlyMap<string, number> };
  claimer: Keeper;
  preparer: Keeper;
  sendQueue: Keeper;
  exchanges: Keeper;
  listenExchanges: Keeper;
  recorder: Keeper;
  releases: Keeper;
  pool: {
    readonly size: number;
    readonly accounts: { counts(): ReadonlyMap<string, number> };
    recount(): {
      connections: number;
      busyByOrigin: ReadonlyMap<string, number>;
      byAccount: ReadonlyMap<string, number>;
    };
  };
};

/**
 * Recounts from their states what deliveries hold, and compares the result with the counters and with what each stage
 * stores. Returns one line for each difference, none when all agree. Call it in an event-loop turn of its own.
 */
export function auditDeliveries(deliveries: Deliveries, stages: AuditedStages): string[] {
  const recounted = deliveries.recount();
  const drift: string[] = [];
  const compare = (what: string, counted: number, real: number) => {
    if (counted !== real) drift.push(`${what}: counted ${counted}, really ${real}`);
  };
  const compareMaps = (what: string, counted: ReadonlyMap<string, number>, real: ReadonlyMap<string, number>) => {
    for (const key of new Set([...counted.keys(), ...real.keys()]))
      compare(`${what}${key}`, counted.get(key) ?? 0, real.get(key) ?? 0);
  };
  const inStates = (...states: DeliveryState[]) => states.reduce((n, state) => n + recounted.states[state], 0);

  compareMaps("", deliveries.holdings.entries(), recounted.entries());
  compare("index of schedules in memory", deliveries.size, recounted.memory);
  compare("due queue", stages.dueQueue.count(), inStates("known"));
  compare("waiting list", stages.waitingList.counts().waiting, inStates("awaiting connection"));
  compare("waiting list, claimed", stages.waitingList.counts().ready, inStates("ready"));
  const slots = deliveries.countHolders(
    ({ slot }) => slot,
    ({ lane }) => lane,
  );
  compareMaps("slots of lane ", stages.rates.slots(), slots);
  compare("claimer", stages.claimer.count(), inStates("admitted", "refused"));
  compare("preparer", stages.preparer.count(), inStates("claimed"));
  compare("send queue", stages.sendQueue.count(), inStates("prepared"));
  compare("exchanges", stages.exchanges.count(), inStates("writing", "sent", "answered", "draining"));
  const listened = deliveries.countHolders(
    ({ connection }) => connection === "assigned",
    ({ via, state }) => (state === "sent" ? via : null),
  );
  compare("exchanges with listeners", stages.listenExchanges.count(), listened.get("listener") ?? 0);
  const assigned = deliveries.countHolders(
    ({ connection }) => connection === "assigned",
    ({ origin }) => origin,
  );
  const connections = stages.pool.recount();
  compareMaps("busy connections of ", connections.busyByOrigin, assigned);
  compare("connections", stages.pool.size, connections.connections);
  compareMaps("connections of account ", stages.pool.accounts.counts(), connections.byAccount);
  compare("recorder", stages.recorder.count(), inStates("answered", "recording"));
  compare("releases", stages.releases.count(), inStates("releasing"));
  return drift;
}

/** Guards against false alarms: how many audits must find a drift, and the time between two of them, ms. */
const AUDITS = 4;
const AGAIN_MS = 25;

/**
 * The drift that stays over several audits. When a socket breaks, it and its request may end in different event-loop
 * turns, so for a moment one is counted and the other is not.
 */
export async function lastingDrift(audit: () => string[]): Promise<string[]> {
  await new Promise(setImmediate);
  let drift = audit();
  for (let n = 1; n < AUDITS && drift.length > 0; n++) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    const again = new Set(audit().map(nameOf));
    drift = drift.filter((line) => again.has(nameOf(line)));
  }
  return drift;
}

const nameOf = (line: string): string => line.slice(0, line.lastIndexOf(": counted"));
