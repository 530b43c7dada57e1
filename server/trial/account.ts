import { findAccountId } from "#db/queries/accounts/find.ts";
import { readSigningSecrets } from "#db/queries/accounts/signing-secrets.ts";
import type { Tenant } from "#db/queries/accounts/tenant.ts";
import { createOrFindTrialAccount } from "#db/queries/accounts/trial-account.ts";
import { cacheFor } from "#domain/cache-for.ts";
import { TRIAL_EMAIL } from "#domain/email-address.ts";
import { loadSigningSecret, type SigningKeys } from "#domain/signing.ts";
import { DATABASE_BUDGET_MS, perServices, type Services } from "../services.ts";

const CACHE_MS = 60_000;

/** The account and environment of trials, created when there is none. */
export async function openTrialTenant({ anonymous, config }: Services): Promise<Tenant> {
  const accountId = await anonymous.run(DATABASE_BUDGET_MS, ({ db }) =>
    createOrFindTrialAccount(db, config.keyRing, Date.now()),
  );
  return { accountId, env: "test" };
}

/** The account and environment of trials, read at most once a minute; undefined before the first trial. */
export const findTrialTenant = (): Promise<Tenant | undefined> => tenant()();

/** The keys that trials are signed with, read at most once a minute; undefined before the first trial. */
export const readTrialKeys = (): Promise<SigningKeys | undefined> => keys()();

const tenant = perServices((services) => {
  const read = cacheFor(CACHE_MS, () => findTenant(services));
  // The account may come at any time, so that only its presence is kept.
  return async () => (await read()) ?? findTenant(services);
});

const keys = perServices((services) => {
  const read = cacheFor(CACHE_MS, () => findKeys(services));
  return async () => (await read()) ?? findKeys(services);
});

async function findTenant({ anonymous }: Services): Promise<Tenant | undefined> {
  const accountId = await anonymous.run(DATABASE_BUDGET_MS, ({ db }) => findAccountId(db, TRIAL_EMAIL));
  return accountId === undefined ? undefined : { accountId, env: "test" };
}

async function findKeys(services: Services): Promise<SigningKeys | undefined> {
  const owner = await findTenant(services);
  if (owner === undefined) return undefined;
  const { anonymous, config } = services;
  const pair = await anonymous.run(DATABASE_BUDGET_MS, ({ db }) => readSigningSecrets(db, owner, config.keyRing));
  return loadSigningSecret(pair.current);
}
