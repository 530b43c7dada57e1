import type { Environment } from "#domain/environment.ts";

/** Whose rows: an account (UUID) in one of its environments. */
export type Tenant = { accountId: string; env: Environment };
