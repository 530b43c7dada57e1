import type { Deliveries } from "../delivery/deliveries.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { Time } from "../runtime/clock.ts";
import { type ConnectionLimits, isWithinLimits } from "./limits.ts";
import { isBehind } from "./origin.ts";
import type { Origins } from "./origins.ts";
import { isUrgent, roomFor } from "./room.ts";
import { maySpare, mayUse } from "./spare.ts";

type Deps = { deliveries: Pick<Deliveries, "holdings">; limits: ConnectionLimits; origins: Origins; clock: Time };

/** Whether `delivery` may reserve a connection to its origin now. */
export function hasRoom(delivery: Delivery, { deliveries, limits, origins, clock }: Deps): boolean {
  if (!isWithinLimits(delivery, limits, deliveries.holdings)) return false;
  const origin = origins.originOf(delivery.origin);
  if (isBehind(origin, delivery)) return false;
  if (delivery.needsNewConnection) return origin.unused.length > origins.reservedNew(origin);
  const nowMs = clock.monotonic();
  const room = roomFor(origin, origins.reserved(origin), nowMs);
  return (
    (room > 0 && mayUse(origin, delivery, deliveries.holdings)) ||
    isUrgent(origin, delivery, room, clock) ||
    maySpare(origin, delivery, deliveries.holdings, nowMs)
  );
}
