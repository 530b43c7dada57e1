import { StopwatchError } from "../../../sdk/src/index.ts";
import { account } from "./account.ts";
import { address } from "./address.ts";
import type { Check, Finding, NamedFinding } from "./check.ts";
import { failure, skipped } from "./check.ts";
import { clock } from "./clock.ts";
import type { DoctorContext } from "./context.ts";
import { delivery } from "./delivery.ts";
import { dispatchers } from "./dispatchers.ts";
import { environment } from "./environment.ts";
import { key } from "./key.ts";
import { quota } from "./quota.ts";
import { rate } from "./rate.ts";
import { secrets } from "./secrets.ts";
import { tls } from "./tls.ts";
import { version } from "./version.ts";

/** All checks, each after those that it needs. */
const CHECKS: readonly Check[] = [
  ...[address, tls, version, key, account, environment, clock, quota, rate, dispatchers, secrets, delivery],
];

/** Runs the checks in their order, and leaves out those whose needs were not met. */
export async function* runChecks(context: DoctorContext): AsyncGenerator<NamedFinding> {
  const failed = new Set<string>();
  for (const check of CHECKS) {
    if (check === delivery && context.target === undefined) continue;
    const unmet = check.needs.find((name) => failed.has(name));
    const finding = unmet ? skipped(`has no meaning before ${unmet}`) : await run(check, context);
    if (finding.status === "failure" || unmet) failed.add(check.name);
    yield { check: check.name, ...finding };
  }
}

async function run(check: Check, context: DoctorContext): Promise<Finding> {
  try {
    return await check.run(context);
  } catch (error) {
    if (context.signal.aborted || !StopwatchError.is(error)) throw error;
    const status = error.status === undefined ? "" : `, ${error.status}`;
    return failure(`the call failed (${error.code}${status})`, `${error.message}.`);
  }
}
