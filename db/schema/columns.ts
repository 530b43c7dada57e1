import { sql } from "drizzle-orm";
import { type AnyPgColumn, customType, text, timestamp } from "drizzle-orm/pg-core";
import { ENVIRONMENTS } from "#domain/environment.ts";

/** Bytes as Postgres keeps them; a Buffer in code. */
export const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => "bytea" });

/** An instant with millisecond precision: what the contract promises and what every column of this schema holds. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: "date" });

/** The environment that a row belongs to. */
export const environment = () => text("env", { enum: ENVIRONMENTS }).notNull();

/** Condition of a check: the column holds one of `words`. */
export const isOneOf = (column: AnyPgColumn, words: readonly string[]) =>
  sql`${column} in (${sql.raw(words.map((word) => `'${word}'`).join(", "))})`;
