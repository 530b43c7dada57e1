import { sql } from "drizzle-orm";
import { type AnyPgColumn, customType, text } from "drizzle-orm/pg-core";
import { ENVIRONMENTS } from "#domain/environment.ts";
import { readInstant } from "../values.ts";

/** A bytea column; a Buffer in TypeScript. */
export const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => "bytea" });

/** An instant with the millisecond precision that the API promises. Every instant of this schema has it. */
export const instant = customType<{ data: Date; driverData: string }>({
  dataType: () => "timestamp (3) with time zone",
  toDriver: (at) => at.toISOString(),
  fromDriver: readInstant,
});

/** The default of an instant at which a row is made. */
export const NOW = sql`now()`;

/** The environment that a row belongs to. */
export const environment = () => text("env", { enum: ENVIRONMENTS }).notNull();

/** The condition of a check constraint: the column holds one of `words`. */
export const isOneOf = (column: AnyPgColumn, words: readonly string[]) =>
  sql`${column} in (${sql.raw(words.map((word) => `'${word}'`).join(", "))})`;

/**
 * The condition of a check constraint: the column holds an e-mail address in the form of `parseEmailAddress`, visible ASCII
 * without A-Z and a single `@`. By the collation "C", since `lower` and ranges follow the locale of the database.
 */
export const isEmailAddress = (column: AnyPgColumn) => sql`${column} COLLATE "C" ~ '^[!-?[-~]+@[a-z0-9.-]+$'`;
