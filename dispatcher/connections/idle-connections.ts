import { CONNECTIONS } from "../tuning/connections.ts";
import type { Account, OwnedConnection } from "./accounts.ts";
import type { Origin } from "./origin.ts";
import type { Origins } from "./origins.ts";

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
    if (origin.idle === 0) origins.noteIdle(origin, false);
    if (origin === than) continue;
    const idle = origin.warm[0] ?? unreserved(origin, origins, () => true);
    if (idle) return idle;
  }
  return undefined;
}

/**
 * The connections of `origin` that were opened at least four seconds ago and were never used, as many as there are connections
 * beyond `kept`.
 */
export function unusedInVain(origin: Origin, kept: number, nowMs: number): OwnedConnection[] {
  if (origin.unused.length === 0) return [];
  const surplus = Math.max(origin.open - kept, 0);
  return origin.unused.filter(({ openedAtMs }) => nowMs - openedAtMs >= CONNECTIONS.idleMaxMs).slice(0, surplus);
}

function unreserved(origin: Origin, origins: Origins, which: (connection: OwnedConnection) => boolean) {
  return origins.reserved(origin) > 0 ? undefined : origin.unused.find(which);
}
