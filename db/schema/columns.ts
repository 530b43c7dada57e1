import { customType, timestamp } from "drizzle-orm/pg-core";

/** Bytes as Postgres keeps them; a Buffer in code. */
export const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => "bytea" });

/** An instant with millisecond precision: what the contract promises and what every column of this schema holds. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: "date" });
