import { probeWrite } from "#db/queries/fleet/probe-write.ts";
import { type Check, ok } from "../check.ts";

export const writes: Check = {
  name: "writes",
  needs: ["role"],
  async run({ ask }) {
    const began = performance.now();
    await ask(probeWrite);
    return ok(
      `the database takes them (a write that changes nothing took ${Math.round(performance.now() - began)} ms)`,
    );
  },
};
