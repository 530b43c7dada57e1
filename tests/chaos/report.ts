import type { Evidence, Injected } from "./evidence.ts";
import type { PlanOptions } from "./plan.ts";
import { KINDS, type Verdict } from "./verdict.ts";

const SHOWN_MAX = 20;

/** The counts of a run, what was done to it, the first violations, and what processes did that they should not. */
export function report(
  options: PlanOptions,
  evidence: Evidence,
  verdict: Verdict,
  creates: { unknown: number; refused: number },
  troubles: readonly string[],
): string {
  const changes = evidence.client.flatMap(({ changes: own }) => own);
  const counted = (kind: string) =>
    (["done", "refused", "unknown"] as const)
      .map((answer) => `${changes.filter((one) => one.kind === kind && one.answer === answer).length} ${answer}`)
      .join(", ");
  const { violations, allowedDuplicates, interrupted } = verdict;
  const lines = [
    `seed ${options.seed}, ${options.seconds} s, ${options.dispatchers} dispatchers, ${options.rate} schedules a second`,
    "",
    `created        ${evidence.client.length} acknowledged, ${creates.unknown} unknown, ${creates.refused} refused as past`,
    `cancels        ${counted("cancel")}`,
    `reschedules    ${counted("reschedule")}`,
    `requests       ${evidence.arrivals.length} received, ${evidence.attempts.length} attempts recorded, ${interrupted} of them interrupted`,
    `injected       ${countInjected(evidence.injected)}`,
    `audits         ${evidence.audits.length} answered`,
    "",
    ...KINDS.map((kind) => {
      const n = violations.filter((one) => one.kind === kind).length;
      const allowed =
        kind === "duplicate" ? `   (and ${allowedDuplicates} allowed: in flight when their dispatcher was lost)` : "";
      return `${kind.padEnd(14)} ${n}${allowed}`;
    }),
    ...violations.slice(0, SHOWN_MAX).map(({ kind, of, detail }) => `  ${kind} ${of}: ${detail}`),
  ];
  if (violations.length > SHOWN_MAX) lines.push(`  and ${violations.length - SHOWN_MAX} more`);
  if (troubles.length > 0) lines.push("", ...troubles.slice(0, SHOWN_MAX));
  return lines.join("\n");
}

/** How often each fault was injected. */
export function countInjected(injected: readonly Injected[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of injected) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, n]) => `${kind} ${n}`).join(", ") || "nothing";
}
