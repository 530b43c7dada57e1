import type { Config } from "#config.ts";
import { connectOrm } from "#db/orm.ts";
import type { Logger } from "../log.ts";
import { deleteQueuedCustomers } from "./delete-customers.ts";
import { billingOf } from "./provider.ts";

const INTERVAL_MS = 10_000;
const QUERY_TIMEOUT_MS = 4_000;

/** Without prepared statements, since there may be a pooler in transaction mode. */
const CONNECTION = { name: "stopwatch billing", connectionsMax: 1, prepare: false };

/** Deletes queued customers at the billing provider every 10 s until the process ends. Safe in several processes. */
export function startBillingUpkeep(config: Config, log: Logger): void {
  const connection = connectOrm({ url: config.databaseUrl, ...CONNECTION });
  const run = async () => {
    try {
      const deleted = await deleteQueuedCustomers(await billingOf(config), (work) =>
        connection.run(QUERY_TIMEOUT_MS, work),
      );
      if (deleted > 0) log.info({ deleted }, "deleted the customers of deleted accounts at the billing provider");
    } catch (error) {
      log.warn({ err: error }, "deleting customers at the billing provider failed");
    }
    setTimeout(run, INTERVAL_MS).unref();
  };
  void run();
}
