import type { Environment } from "#domain/api-key.ts";

/** Whose rows: an account (UUID) in one of its environments. */
export type Tenant = { accountId: string; env: Environment };
