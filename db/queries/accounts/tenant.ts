import type { Environment } from "#domain/environment.ts";

/** Whose rows a query reads or writes: an account (UUID) in one of its environments. */
export type Tenant = { accountId: string; env: Environment };
