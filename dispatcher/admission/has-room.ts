import type { ConnectionLimits } from "../connections/limits.ts";
import type { Deliveries } from "../delivery/deliveries.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import { isWithinLimits } from "./account-limits.ts";
import { isUrgent, roomFor } from "./room.ts";
import { maySpare, mayUse } from "./spare.ts";
import type { WaitersByOrigin } from "./waiters.ts";

type Deps = {
  deliveries: Pick<Deliveries, "holdings">;
  limits: ConnectionLimits;
  waiters: WaitersByOrigin;
  clock: Time;
};

/** Whether `delivery` may reserve a connection to its origin now. */
export function hasRoom(delivery: Delivery, { deliveries, limits, waiters, clock }: Deps): boolean {
  if (!isWithinLimits(delivery, limits, deliveries.holdings)) return false;
  const there = waiters.at(delivery.origin);
  if (there.isBehind(delivery)) return false;
  if (delivery.needsNewConnection) return there.origin.unused.length > there.reservedNew;
  const nowMs = clock.monotonic();
  const room = roomFor(there, there.reserved, nowMs);
  return (
    (room > 0 && mayUse(there, delivery, deliveries.holdings)) ||
    isUrgent(there, delivery, room, clock) ||
    maySpare(there, delivery, deliveries.holdings, nowMs)
  );
}
