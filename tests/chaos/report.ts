import { describeBounds } from "./connection-bounds.ts";
import { type Lateness, latenessOf } from "./control-group.ts";
import type { Evidence, Injected } from "./evidence.ts";
import { findInversions } from "./inversions.ts";
import type { PlanOptions } from "./plan.ts";
import { KINDS, type Verdict, type ViolationKind } from "./verdict.ts";

const SHOWN_MAX = 20;
const SHOWN_OF_KIND_MAX = 8;

/**
 * The text of the report: the counts of a run, the injected faults, the first violations, and what the processes must
 * not have done.
 */
export function report(
  options: PlanOptions,
  evidence: Evidence,
  verdict: Verdict,
  creates: { unknown: number; refused: number },
  troubles: readonly string[],
): string {
  const calls = evidence.recurring.flatMap((entry) => entry.calls);
  const answered = (kind: string) => `${calls.filter((one) => one.kind === kind).length} ${kind}s`;
  const inGroup = (wanted: boolean) => evidence.client.filter(({ group }) => (group === "recurrence") === wanted);
  const sentOccurrences = inGroup(true).filter((one) => one.changes.length === 0);
  const changes = inGroup(false).flatMap(({ changes: own }) => own);
  const counted = (kind: string) =>
    (["done", "refused", "unknown"] as const)
      .map((answer) => `${changes.filter((one) => one.kind === kind && one.answer === answer).length} ${answer}`)
      .join(", ");
  const { violations, allowedDuplicates, interrupted } = verdict;
  const beside: Partial<Record<ViolationKind, string>> = {
    duplicate: `   (and ${allowedDuplicates} allowed: in flight when their dispatcher was lost)`,
    inversions: `   (${findInversions(evidence, "arrivedAtMs").length} in the order in which the receiver read them)`,
    "control group p99": `   (${describeLateness(verdict.control)})`,
    "connections over bound": `   (${describeBounds(evidence.bounds, verdict.connections)})`,
  };
  const lines = [
    `seed ${options.seed}, ${options.seconds} s, ${options.dispatchers} dispatchers, ${options.rate} schedules a second`,
    "",
    `created        ${inGroup(false).length} acknowledged, ${creates.unknown} unknown, ${creates.refused} refused as past`,
    `cancels        ${counted("cancel")}`,
    `reschedules    ${counted("reschedule")}`,
    `puts           ${counted("put")}`,
    `recurrences    ${evidence.recurring.length}, ${inGroup(true).length} occurrences made; ${["put", "pause", "resume"].map(answered).join(", ")}, ${calls.reduce((sum, { unknown }) => sum + unknown, 0)} unknown; lateness ${describeLateness(latenessOf("recurrence", { ...evidence, client: sentOccurrences }))}`,
    `requests       ${evidence.arrivals.length} received, ${evidence.attempts.length} attempts recorded, ${interrupted} of them interrupted`,
    `injected       ${countInjected(evidence.injected)}`,
    `audits         ${evidence.audits.length} answered`,
    `held up        the receiver's timer ${describeHeldUp(evidence)}: the machine may have delayed requests by this much`,
    `order read     requests were read up to ${describeUncertainty(evidence)} after they may have been readable`,
    ...describeAttacks(evidence),
    "",
    ...KINDS.map((kind) => {
      const n = violations.filter((one) => one.kind === kind).length;
      return `${kind.padEnd(22)} ${n}${beside[kind] ?? ""}`;
    }),
    ...KINDS.flatMap((kind) => violations.filter((one) => one.kind === kind).slice(0, SHOWN_OF_KIND_MAX)).map(
      ({ kind, of, detail }) => `  ${kind} ${of}: ${detail}`,
    ),
  ];
  if (troubles.length > 0) lines.push("", ...troubles.slice(0, SHOWN_MAX));
  return lines.join("\n");
}

/** How often each kind of fault was injected. */
export function countInjected(injected: readonly Injected[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of injected) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, n]) => `${kind} ${n}`).join(", ") || "nothing";
}

/**
 * Each adversary that acted, with its number of schedules and the lateness of its own first requests, which fails no
 * run.
 */
function describeAttacks(evidence: Evidence): string[] {
  const names = [...new Set(evidence.attacks.map(({ adversary }) => adversary))];
  return names.map((name) => {
    const attacks = evidence.attacks.filter(({ adversary }) => adversary === name).length;
    const created = evidence.client.filter(({ group }) => group === name).length;
    return `adversary      ${name}, ${attacks} times, ${created} created; its own: ${describeLateness(latenessOf(name, evidence))}`;
  });
}

function describeLateness({ count, p50, p99, max }: Lateness): string {
  if (p50 === null || p99 === null || max === null) return "nothing measured";
  const shown = (ms: number) => (Number.isFinite(ms) ? ms.toFixed(1) : "never");
  return `p50 ${shown(p50)}, p99 ${shown(p99)}, max ${shown(max)} ms of ${count}`;
}

function describeHeldUp({ socketCounts }: Evidence): string {
  const heldUp = socketCounts.map(({ heldUpMs }) => heldUpMs);
  return `${heldUp.filter((ms) => ms > 50).length} times over 50 ms, at most ${Math.max(0, ...heldUp).toFixed(0)} ms`;
}

/** The time that the receiver's event loop can have left requests unread, which the check of inversions allows for. */
function describeUncertainty({ arrivals }: Evidence): string {
  const ms = arrivals.map(({ arrivedAtMs, readableAfterMs }) => arrivedAtMs - readableAfterMs).sort((a, b) => a - b);
  const at = (part: number) => (ms[Math.min(ms.length - 1, Math.floor(ms.length * part))] ?? 0).toFixed(0);
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, p999 ${at(0.999)}, max ${at(1)} ms`;
}
