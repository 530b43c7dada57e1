import { secretProblem } from "../verify/known-secrets.ts";
import { secretsOfVariables } from "../verify/read-variables.ts";
import { type Check, failure, ok, skipped, warning } from "./check.ts";

const TAKE = "Take them anew: `stopwatch secrets --env`.";

/** The signing secrets of this folder are those of the key's environment. */
export const secrets: Check = {
  name: "secrets",
  needs: ["account"],
  async run({ local, client, settings, signal }) {
    const found = secretsOfVariables(local.variables);
    if (found.length === 0) return skipped(`${local.source} has no signing secret (STOPWATCH_SECRET)`);
    const malformed = found.flatMap(({ name, value }) => {
      const problem = secretProblem(value);
      return problem === null ? [] : [`${name} ${problem.problem}`];
    });
    if (malformed.length > 0) return failure(`${local.source}: ${malformed.join("; ")}`, TAKE);
    const { current, next } = await client().signingSecrets.get({ signal, maxRetries: 0 });
    const env = settings?.env;
    const has = (secret: string) => found.find(({ value }) => value === secret)?.name;
    const names = found.map(({ name }) => name).join(", ");
    if (!has(current) && !has(next)) {
      return failure(
        `${names} of ${local.source}: neither the current nor the next secret of ${env}`,
        `They are former ones, or another environment's. ${TAKE}`,
      );
    }
    if (!has(current))
      return warning(`${has(next)} is the next secret of ${env}, and the current one is missing`, TAKE);
    if (!has(next)) {
      return warning(
        `${has(current)} is the current secret of ${env}, and the next one is missing`,
        `A rotation would be an outage. ${TAKE}`,
      );
    }
    return ok(`${has(current)} and ${has(next)} are the current and the next secret of ${env}`);
  },
};
