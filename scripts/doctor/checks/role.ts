import { assertMayMakePartitions } from "#db/queries/fleet/partition-rights.ts";
import { readSessionFacts } from "#db/queries/fleet/session-facts.ts";
import { readSchema } from "#db/schema-of-installation.ts";
import { describeExcess, readMissingRights, readRestrictedRole } from "#db/service-role.ts";
import { type Check, type Finding, failure, ok, warning } from "../check.ts";

export const role: Check = {
  name: "role",
  needs: ["schema"],
  async run({ read, isEmbedded }) {
    const facts = await read(async (sql) => {
      const { role: name, isSuperuser } = await readSessionFacts(sql);
      const isRestricted = (await readRestrictedRole(sql, await readSchema(sql))) !== undefined;
      const excess = isRestricted ? await describeExcess(sql, name) : undefined;
      return { name, isSuperuser, isRestricted, missing: await readMissingRights(sql), excess };
    });
    if (facts.missing.length === 0) await read(assertMayMakePartitions);
    return judgeRole({ ...facts, isEmbedded });
  },
};

type Facts = {
  name: string;
  isSuperuser: boolean;
  /** Whether it may not change the tables. */
  isRestricted: boolean;
  /** Rights that the service needs, such as "UPDATE on schedules". */
  missing: readonly string[];
  /** What a restricted role may do beyond what the service needs: sentences. */
  excess: string | undefined;
  isEmbedded: boolean;
};

const SHOWN_MAX = 5;

export function judgeRole({ name, isSuperuser, isRestricted, missing, excess, isEmbedded }: Facts): Finding {
  if (missing.length > 0) {
    const more = missing.length > SHOWN_MAX ? ` and ${missing.length - SHOWN_MAX} more` : "";
    return failure(
      `${name} lacks ${missing.slice(0, SHOWN_MAX).join(", ")}${more}`,
      "Run npm run migrate with DATABASE_OWNER_URL, which grants them.",
    );
  }
  if (excess) return warning(`${name} has what the service needs, and more`, excess);
  if (isRestricted) return ok(`${name} has what the service needs, and may not change the tables`);
  if (isEmbedded) return ok(`${name} owns the embedded database`);
  const todo = "Give the service a role of its own (docs/own-database.md).";
  if (isSuperuser) return warning(`${name} is a superuser: whoever takes over a process has the whole server`, todo);
  return ok(
    `${name} has what the service needs, and may change the tables too (docs/own-database.md has a narrower one)`,
  );
}
