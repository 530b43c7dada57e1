import { type Check, type Finding, skipped, slow } from "./check.ts";
import { CHECK_MS_MAX, type Context } from "./context.ts";
import { describeFailure } from "./describe-failure.ts";

export type Result = Finding & { name: string };

/**
 * Runs the checks one after the other, each for 5 s at most: one that is slower has found nothing, and is a warning. A check whose `needs` did not succeed is skipped. `onResult` is
 * told each result at once.
 */
export async function runChecks(
  checks: readonly Check[],
  context: Context,
  onResult: (result: Result) => void = () => {},
): Promise<Result[]> {
  const results = new Map<string, Result>();
  for (const { name, needs, run } of checks) {
    const lacking = needs.find((one) => !["ok", "warning"].includes(results.get(one)?.status ?? ""));
    const finding = lacking
      ? skipped(`not checked, since "${rootOf(lacking, checks, results)}" failed`)
      : await within(CHECK_MS_MAX, () => run(context)).catch((error) => describeFailure(error, context.clear));
    const result = { name, ...finding };
    results.set(name, result);
    onResult(result);
  }
  return [...results.values()];
}

/** The check that failed itself, because of which `name` was skipped. */
function rootOf(name: string, checks: readonly Check[], results: ReadonlyMap<string, Result>): string {
  if (results.get(name)?.status !== "skipped") return name;
  const needs = checks.find((check) => check.name === name)?.needs ?? [];
  const lacking = needs.find((one) => !["ok", "warning"].includes(results.get(one)?.status ?? ""));
  return lacking ? rootOf(lacking, checks, results) : name;
}

async function within(ms: number, work: () => Promise<Finding>): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding>((resolve) => {
    timer = setTimeout(resolve, ms, slow(ms));
  });
  return Promise.race([work(), late]).finally(() => clearTimeout(timer));
}
