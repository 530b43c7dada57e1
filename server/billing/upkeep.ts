import type { Config } from "#config.ts";
import { connectOrm } from "#db/orm.ts";
import type { Query } from "../context.ts";
import type { Logger } from "../log.ts";
import { checkSubscriptions } from "./check-subscriptions.ts";
import { deleteQueuedCustomers } from "./delete-customers.ts";
import { billingOf } from "./provider.ts";

const INTERVAL_MS = 10_000;
const QUERY_TIMEOUT_MS = 4_000;

/** Without prepared statements, since there may be a pooler in transaction mode. */
const CONNECTION = { name: "stopwatch billing", connectionsMax: 1, prepare: false };

/**
 * Every 10 s until the process ends: deletes queued customers at the billing provider, and reads the subscriptions whose
 * check is due. Safe in several processes.
 */
export function startBillingUpkeep(config: Config, log: Logger): void {
  const database = connectOrm({ url: config.databaseUrl, ...CONNECTION });
  const query: Query = (work) => database.run(QUERY_TIMEOUT_MS, work);
  const run = async () => {
    try {
      const billing = await billingOf(config);
      const deleted = await deleteQueuedCustomers(billing, query);
      if (deleted > 0) log.info({ deleted }, "deleted the customers of deleted accounts at the billing provider");
      await checkSubscriptions(billing, query, log);
    } catch (error) {
      log.warn({ err: error }, "the upkeep of billing failed");
    }
    setTimeout(run, INTERVAL_MS).unref();
  };
  void run();
}
