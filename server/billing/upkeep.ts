import type { Config } from "#config.ts";
import { connectOrm } from "#db/orm.ts";
import type { Logger } from "../log.ts";
import { deleteQueuedCustomers } from "./delete-customers.ts";
import { billingOf } from "./provider.ts";

const EVERY_MS = 10_000;
const DEADLINE_MS = 4_000;

/** What is asked here takes no parameter twice; a pooler in transaction mode may stand between. */
const CONNECTION = { name: "stopwatch billing", connectionsMax: 1, prepare: false };

/**
 * Does in the background what a call has left to be done at the billing provider, in this process until it ends. Any
 * number of processes may.
 */
export function tendBilling(config: Config, log: Logger): void {
  const connection = connectOrm({ url: config.databaseUrl, ...CONNECTION });
  const run = async () => {
    try {
      const deleted = await deleteQueuedCustomers(await billingOf(config), (work) => connection.run(DEADLINE_MS, work));
      if (deleted > 0) log.info({ deleted }, "customers of deleted accounts were deleted at the billing provider");
    } catch (error) {
      log.warn({ err: error }, "the upkeep of billing failed");
    }
    setTimeout(run, EVERY_MS).unref();
  };
  void run();
}
