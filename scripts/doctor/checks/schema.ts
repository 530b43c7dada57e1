import { assertSchemaFits } from "#db/queries/fleet/schema-version.ts";
import { type Check, ok } from "../check.ts";

export const schema: Check = {
  name: "schema",
  needs: ["version"],
  async run({ read }) {
    await read(assertSchemaFits);
    return ok("has every migration of this version");
  },
};
