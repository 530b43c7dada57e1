import type { Logger } from "pino";
import type { openUpkeep } from "#billing/upkeep.ts";
import type { Config } from "#config.ts";
import { DatabaseUnavailable } from "#db/client.ts";
import { FLEET_SHARD } from "#domain/shard-share.ts";

/** Pause after an unexpected error, because the next round would probably fail in the same way, ms. */
const AGAIN_MS = 60_000;

type Deps = {
  config: Config;
  shards: { holds(shard: number): boolean };
  clock: { monotonic(): number };
  log: Logger;
  metrics: { billingTended(result: "deleted" | "checked" | "failed", n: number): void };
};

/**
 * Deletes the customers of deleted accounts at the billing provider, and reads the subscriptions whose check is due, in case
 * an event was lost. One process of the fleet does it; if two did, each customer would still be asked about once. Does
 * nothing where no provider is configured.
 */
export class BillingUpkeep {
  readonly #deps: Deps;
  #upkeep: ReturnType<typeof openUpkeep> | undefined;
  #pausedUntilMs = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Throws only DatabaseUnavailable. */
  async runOnce(): Promise<void> {
    const { config, shards, clock, log, metrics } = this.#deps;
    if (config.stripe === undefined || !shards.holds(FLEET_SHARD) || clock.monotonic() < this.#pausedUntilMs) return;
    try {
      const done = await (await this.#open()).run();
      metrics.billingTended("deleted", done.deleted);
      metrics.billingTended("checked", done.checked);
      if (done.deleted > 0) log.info(done, "deleted the customers of deleted accounts at the billing provider");
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      this.#pausedUntilMs = clock.monotonic() + AGAIN_MS;
      metrics.billingTended("failed", 1);
      log.error({ err: error }, "the upkeep of billing failed");
    }
  }

  async close(): Promise<void> {
    await this.#upkeep?.close();
  }

  async #open() {
    const { config, log, metrics } = this.#deps;
    // Imported on first use: the provider's client and drizzle take more memory than the rest of a dispatcher.
    const { openUpkeep } = await import("#billing/upkeep.ts");
    this.#upkeep ??= openUpkeep(config, log, (customerId, error) => {
      metrics.billingTended("failed", 1);
      log.warn({ customerId, cause: (error as Error).message }, "the billing provider could not be asked");
    });
    return this.#upkeep;
  }
}
