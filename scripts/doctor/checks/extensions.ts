import { type ExtensionState, readExtensions } from "#db/extensions.ts";
import { type Check, type Finding, failure, ok } from "../check.ts";

export const extensions: Check = {
  name: "extensions",
  needs: ["version"],
  run: async ({ read }) => judgeExtensions(await read(readExtensions)),
};

export function judgeExtensions(states: readonly ExtensionState[]): Finding {
  const missing = states.filter(({ schema }) => schema === null);
  const lacking = missing.filter(({ isAvailable }) => !isAvailable);
  if (lacking.length > 0)
    return failure(
      `the server lacks ${names(lacking)}`,
      "Install PostgreSQL's additional modules (postgresql-contrib), or allow them in the settings of the database's host.",
    );
  if (missing.length > 0)
    return failure(
      `the database lacks ${names(missing)}`,
      "Run npm run migrate, or, as the owner of the database, CREATE EXTENSION for each.",
    );
  const closed = states.find(({ isUsable }) => !isUsable);
  if (closed)
    return failure(
      `${closed.name} is in the schema ${closed.schema}, which this role may not use`,
      `Run GRANT USAGE ON SCHEMA ${JSON.stringify(closed.schema)} for it.`,
    );
  return ok(states.map(({ name, schema }) => `${name} in ${schema}`).join(", "));
}

const names = (states: readonly ExtensionState[]) => states.map(({ name }) => name).join(" and ");
