import type { Billing } from "#billing/billing.ts";
import { openBilling } from "#billing/provider.ts";
import type { Config } from "#config.ts";
import { getServices } from "../services.ts";

/** The configured billing provider. Throws UNAVAILABLE when none is configured. */
export function billingOf(config: Config): Promise<Billing> {
  return openBilling(config, getServices().log);
}
