import { TARGET_RULES, type TargetRule } from "#domain/target-url.ts";
import { GroupedRecords } from "./grouped-records.ts";
import type { Logger } from "./log.ts";

/** Called with each target that is refused when a schedule is to be stored. */
export type OnRefusedTarget = (refused: { accountId: string; rule: TargetRule }) => void;

/** Counts refused targets by rule, and logs the rule's name: one line in ten seconds for an account and rule. */
export function recordRefusedTargets(log: Logger): OnRefusedTarget {
  const lines = new GroupedRecords<Parameters<OnRefusedTarget>[0]>(
    ({ accountId, rule }) => `${accountId} ${rule}`,
    async ({ accountId, rule }, times) => log.info({ accountId, rule, times }, "a target was refused"),
  );
  const counts = refusedTargetCounts();
  return (refused) => {
    counts[refused.rule]++;
    lines.record(refused);
  };
}

/**
 * How many targets this process has refused, by rule. On globalThis, since Next.js loads this module in several bundles:
 * forms of pages count in one, and the metrics are read in another.
 */
export function refusedTargetCounts(): Record<TargetRule, number> {
  const store = globalThis as { [COUNTS]?: Record<TargetRule, number> };
  store[COUNTS] ??= Object.fromEntries(TARGET_RULES.map((rule) => [rule, 0])) as Record<TargetRule, number>;
  return store[COUNTS];
}

const COUNTS = Symbol.for("stopwatch.refused-targets");
