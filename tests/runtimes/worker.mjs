// The Worker around the checks.
import { runChecks } from "./checks.ts";

export default {
  fetch: async (request) => Response.json(await runChecks(await request.json())),
};
