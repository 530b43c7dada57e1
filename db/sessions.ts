import { NEEDED } from "#domain/server-settings.ts";

type Settings = Readonly<Record<string, string | number>>;

/**
 * With what each session on the server itself begins, whatever the operator has set there: what the client sends at the start
 * of a session stands over all other places, also when the server reads its files again. The texts are "0" where the driver
 * would leave out the number.
 */
export const DIRECT_SESSION: Settings = {
  ...NEEDED,
  statement_timeout: "0",
  lock_timeout: "0",
  idle_session_timeout: "0",
  default_table_access_method: "heap",
};

/**
 * What a pooler in transaction mode takes from a client too, and applies to the connection that it lends. PgBouncer sets only
 * what differs there, and what it does not set changes when the server reads its files again: so these are spellings that
 * hardly a server has.
 */
export const POOLED_SESSION: Settings = { DateStyle: "ISO, YMD", TimeZone: "GMT" };
