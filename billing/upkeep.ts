import type { Config } from "#config.ts";
import { connectOrm } from "#db/orm.ts";
import { DIRECT_SESSION } from "#db/sessions.ts";
import type { BillingLog, BillingQuery } from "./billing.ts";
import { checkSubscriptions } from "./check-subscriptions.ts";
import { deleteQueuedCustomers } from "./delete-customers.ts";
import { openBilling } from "./provider.ts";

const QUERY_TIMEOUT_MS = 4_000;
const SESSION = { ...DIRECT_SESSION, statement_timeout: 3_500, lock_timeout: 1_000, tcp_user_timeout: 3_000 };

export type Tended = { deleted: number; checked: number };

/**
 * The upkeep of billing, on a connection of its own that is opened when it is needed. `run` deletes the queued customers at the
 * provider and reads the subscriptions whose check is due. `onFailed` is called for each customer for whom that failed.
 */
export function openUpkeep(config: Config, log: BillingLog, onFailed: (customerId: string, error: unknown) => void) {
  const connection = { name: "stopwatch-billing", connectionsMax: 1, session: SESSION, waitsWhenRefused: true };
  const database = connectOrm({ url: config.databaseDirectUrl, ...connection });
  const query: BillingQuery = (work) => database.run(QUERY_TIMEOUT_MS, work);
  return {
    /** Throws DatabaseUnavailable. */
    async run(): Promise<Tended> {
      const billing = await openBilling(config, log);
      const deleted = await deleteQueuedCustomers(billing, query, onFailed);
      return { deleted, checked: await checkSubscriptions(billing, query, log, onFailed) };
    },
    close: () => database.close(),
  };
}
