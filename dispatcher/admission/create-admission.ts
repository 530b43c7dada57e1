import type { ConnectionLimits } from "../connections/limits.ts";
import type { Origins } from "../connections/origins.ts";
import type { Pool } from "../connections/pool.ts";
import type { Deliveries } from "../delivery/deliveries.ts";
import type { Time } from "../runtime/clock.ts";
import { Demand } from "./demand.ts";
import { Preparation } from "./preparation.ts";
import { ReadyList } from "./ready-list.ts";
import { WaitersByOrigin } from "./waiters.ts";
import { WaitingList } from "./waiting-list.ts";

type Deps = { deliveries: Deliveries; origins: Origins; pool: Pool; limits: ConnectionLimits; clock: Time };

/** What decides which deliveries may go on to their claim, and opens the connections that they need. Listens to the pool. */
export function createAdmission(deps: Deps) {
  const { deliveries, origins, pool, clock } = deps;
  const waiters = new WaitersByOrigin(origins);
  const demand = new Demand({ ...deps, holdings: deliveries.holdings, waiters });
  const readyList = new ReadyList({ ...deps, waiters, demand });
  const waitingList = new WaitingList({ ...deps, waiters, demand, readyList });
  pool.observer = waitingList;
  return { waiters, demand, readyList, waitingList, preparation: new Preparation({ waiters, clock }) };
}
