import type { Config } from "#config.ts";
import { AppError } from "#domain/errors.ts";
import type { Billing, BillingLog } from "./billing.ts";

/** The billing provider that `config` names. Throws UNAVAILABLE when it names none. */
export async function openBilling(config: Config, log: BillingLog): Promise<Billing> {
  if (config.stripe === undefined) throw new AppError("UNAVAILABLE", NOT_CONFIGURED);
  const billing =
    providers.get(config) ?? import("./stripe.ts").then(({ stripeBilling }) => stripeBilling(config, log));
  providers.set(config, billing);
  return billing;
}

// Imported on first use: the SDK takes more memory than the rest of the API.
const providers = new WeakMap<Config, Promise<Billing>>();

const NOT_CONFIGURED = "Billing is not configured on this server. Its operator can set an account's plan manually.";
