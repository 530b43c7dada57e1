import type { Holdings } from "../delivery/holdings.ts";
import type { Account, OwnedConnection } from "./accounts.ts";
import { peakOf } from "./growth.ts";
import { type ConnectionLimits, nextRetry } from "./limits.ts";
import { isWanted, type Origin, openOf, waitingOf } from "./origin.ts";
import type { Origins } from "./origins.ts";

const UNUSED_MAX_MS = 4_000;

/** An idle connection of `account` that can be closed to make room for a new one to the origin `than`. */
export function idleOf(account: Account, than: Origin, origins: Origins): OwnedConnection | undefined {
  if (account.busy + account.opening >= account.connections) return undefined;
  const isOwn = ({ owner }: OwnedConnection) => owner.account === account;
  for (const { origin } of account.places) {
    const idle = origin.warm.find(isOwn) ?? (origin === than ? undefined : unreserved(origin, origins, isOwn));
    if (idle) return idle;
  }
  return undefined;
}

/** An idle connection to another origin that can be closed to make room for a new one to the origin `than`. */
export function idleOfAnother(than: Origin, origins: Origins): OwnedConnection | undefined {
  for (const origin of origins.withIdle) {
    if (origin.warm.length + origin.unused.length === 0) origins.noteIdle(origin, false);
    if (origin === than) continue;
    const idle = origin.warm[0] ?? unreserved(origin, origins, () => true);
    if (idle) return idle;
  }
  return undefined;
}

/** An unused connection of `origin` that no retry needs. Retries can use no other. */
export function unusedBesideRetries(
  origin: Origin,
  { origins, limits, holdings }: { origins: Origins; limits: ConnectionLimits; holdings: Readonly<Holdings> },
): OwnedConnection | undefined {
  const forRetries = origins.reservedNew(origin) + (nextRetry(origin, limits, holdings) ? 1 : 0);
  return origin.unused.length > forRetries ? origin.unused[0] : undefined;
}

/**
 * The connections of `origin` that were opened at least four seconds ago, were never used, and are not needed. When
 * nothing wants a connection, these are all of them; otherwise those beyond the peak of the last minute plus what waits
 * or is `reserved` now.
 */
export function unusedInVain(origin: Origin, reserved: number, nowMs: number): OwnedConnection[] {
  const kept = isWanted(origin, reserved) ? peakOf(origin) + reserved + waitingOf(origin) : 0;
  const surplus = Math.max(openOf(origin) - kept, 0);
  return origin.unused.filter(({ openedAtMs }) => nowMs - openedAtMs >= UNUSED_MAX_MS).slice(0, surplus);
}

function unreserved(origin: Origin, origins: Origins, which: (connection: OwnedConnection) => boolean) {
  return origins.reserved(origin) > 0 ? undefined : origin.unused.find(which);
}
