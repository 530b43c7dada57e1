import type { Accounts, Opening } from "./accounts.ts";
import type { FurtherSockets } from "./address-race.ts";
import { type ConnectionLimits, maxOfAll, mayOpenAnother } from "./limits.ts";

/**
 * Counts the sockets of an opening beyond its first: while several addresses are tried side by side, each socket is a
 * connection that is being opened, within the same limits. The limit of the origin alone is not checked.
 */
export function furtherSockets(opening: Opening, accounts: Accounts, limits: ConnectionLimits): FurtherSockets {
  return {
    begin() {
      const { account, connections } = opening.owner;
      const isWithin = connections < limits.perOrigin && account.connections < limits.perAccount;
      if (!isWithin || !mayOpenAnother(account, limits) || accounts.total >= maxOfAll(limits, account)) return false;
      accounts.countFurther(opening, 1);
      return true;
    },
    end: () => accounts.countFurther(opening, -1),
  };
}
