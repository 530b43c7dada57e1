import type { Behaviour } from "./behaviour.ts";
import { at } from "./clock-time.ts";
import type { ClientEntry, Evidence, OccurrenceRow, RecurrenceCall, RecurrenceEntry } from "./evidence.ts";
import type { Violation } from "./verdict.ts";

const MINUTE_MS = 60_000;
/** An outcome is recorded within this time, also when its dispatcher recovers from a fault. */
const RECORDED_MS = 20_000;

type Made = Pick<
  Evidence,
  "recurring" | "occurrences" | "schedules" | "arrivals" | "attempts" | "claims" | "recurrences"
>;

/** The occurrences as schedules that a client was answered, so that they are judged as any other. */
export function occurrenceEntries({
  recurring,
  occurrences,
  schedules,
}: Pick<Made, "recurring" | "occurrences" | "schedules">) {
  const owners = new Map(recurring.map((entry) => [entry.id, entry]));
  const rows = new Map(schedules.map((row) => [row.id, row]));
  return occurrences.flatMap((occurrence): ClientEntry[] => {
    const { scheduleId: id, recurrenceId, occurrenceAtMs, createdAtMs, targetUrl } = occurrence;
    const entry = owners.get(recurrenceId);
    if (!entry) return [];
    const { origin, pathname } = new URL(targetUrl);
    const cancelled = rows.get(id)?.status === "cancelled";
    const hash = bodiesOf(entry, occurrence);
    const fireAtMs = occurrenceAtMs + entry.shareMs;
    // Those that a PUT or the end of a pause has made are known with its answer.
    const made = entry.calls.find((call) => call.askedAtMs <= createdAtMs && createdAtMs <= call.answeredAtMs);
    const acknowledgedAtMs = made?.answeredAtMs ?? createdAtMs;
    const unknown = { askedAtMs: createdAtMs, answeredAtMs: createdAtMs, answer: "unknown" } as const;
    return [
      {
        ...{ id, accountId: entry.accountId, group: "recurrence", origin, fireAtMs, acknowledgedAtMs },
        behaviour: pathname.split("/")[1] as Behaviour,
        bodyHash: hash[0] ?? "",
        // What the service has taken back; and requests of PUTs that were made at the moment in which it was created.
        changes: [
          ...(cancelled ? [{ kind: "cancel" as const, fireAtMs: null, ...unknown }] : []),
          ...hash.slice(1).map((bodyHash) => ({ kind: "put" as const, fireAtMs, bodyHash, ...unknown })),
        ],
      },
    ];
  });
}

/** The bodies that an occurrence may have: of the PUT that was in force when it was created, or of those being made then. */
function bodiesOf({ calls }: RecurrenceEntry, { createdAtMs }: OccurrenceRow): string[] {
  const puts = calls.filter(({ kind }) => kind === "put");
  return puts.flatMap(({ bodyHash = "", askedAtMs }, n) => {
    const until = puts[n + 1]?.answeredAtMs ?? Number.POSITIVE_INFINITY;
    return askedAtMs - STEP_MS <= createdAtMs && createdAtMs <= until ? [bodyHash] : [];
  });
}

/** The database's clock and ours are read one after the other. */
const CLOCK_MS = 2;
/** An occurrence has the time at which the transaction began that made it: a PUT that came meanwhile may have been seen. */
const STEP_MS = 8_000;

/**
 * No instant of a recurrence is sent twice, none is missing without a reason, and nothing that was made before a PUT or a
 * pause leaves after its answer.
 */
export function judgeRecurrences(evidence: Made): Violation[] {
  const made = Map.groupBy(evidence.occurrences, ({ recurrenceId }) => recurrenceId);
  const leftOut = new Map(evidence.recurrences.map((row) => [row.id, row.leftOut]));
  const sent = new Set(evidence.arrivals.map(({ scheduleId }) => scheduleId));
  const claims = Map.groupBy(evidence.claims, ({ scheduleId }) => scheduleId);
  const attempts = Map.groupBy(evidence.attempts, ({ scheduleId }) => scheduleId);
  return evidence.recurring.flatMap((entry) => {
    const own = made.get(entry.id) ?? [];
    const reasons = leftOut.get(entry.id) ?? [];
    const isLeftOut = (atMs: number) => reasons.some(({ fromMs, toMs }) => fromMs <= atMs && atMs <= toMs);
    return [
      ...findTwice(own, sent),
      ...findMissing(entry, own, isLeftOut),
      ...own.flatMap((one) => findAfterChange(entry, one, { claims, attempts })),
    ];
  });
}

function findTwice(own: readonly OccurrenceRow[], sent: ReadonlySet<string>): Violation[] {
  const bySent = Map.groupBy(
    own.filter(({ scheduleId }) => sent.has(scheduleId)),
    ({ occurrenceAtMs }) => String(occurrenceAtMs),
  );
  return [...bySent.values()].flatMap(([first, ...others]) =>
    others.map(({ scheduleId }) => ({
      ...{ kind: "duplicate" as const, of: scheduleId },
      detail: `sent for ${at(first?.occurrenceAtMs ?? 0)}, as ${first?.scheduleId} was`,
    })),
  );
}

/** Each minute that fires while the recurrence is active has an occurrence, or is said to be left out. */
function findMissing(
  { key, id, shareMs, calls }: RecurrenceEntry,
  own: readonly OccurrenceRow[],
  isLeftOut: (atMs: number) => boolean,
): Violation[] {
  const made = new Set(own.map(({ occurrenceAtMs }) => occurrenceAtMs));
  return calls.flatMap(({ kind, answeredAtMs }, n) => {
    const until = calls[n + 1]?.askedAtMs;
    if (kind === "pause" || until === undefined) return [];
    // A PUT leaves a recurrence paused that is.
    if (kind === "put" && calls.slice(0, n).findLast((one) => one.kind !== "put")?.kind === "pause") return [];
    const missing: Violation[] = [];
    for (
      let atMs = Math.ceil((answeredAtMs - shareMs) / MINUTE_MS) * MINUTE_MS;
      atMs + shareMs < until;
      atMs += MINUTE_MS
    )
      if (!made.has(atMs) && !isLeftOut(atMs))
        missing.push({ kind: "lost", of: id, detail: `${key} has no occurrence of ${at(atMs)}, and no reason` });
    return missing;
  });
}

/** What was made before a PUT or a pause is not claimed after its answer, unless it was being sent then. */
function findAfterChange(
  { calls }: RecurrenceEntry,
  { scheduleId, createdAtMs }: OccurrenceRow,
  { claims, attempts }: { claims: Map<string, Evidence["claims"]>; attempts: Map<string, Evidence["attempts"]> },
): Violation[] {
  const own = claims.get(scheduleId) ?? [];
  const say = (of: RecurrenceCall, attempt: number, afterMs: number): Violation => ({
    ...{ kind: "after-cancel", of: scheduleId },
    detail: `attempt ${attempt} was claimed ${afterMs.toFixed(0)} ms after the ${of.kind} of its recurrence was acknowledged`,
  });
  return calls
    .filter(({ kind, askedAtMs }) => kind !== "resume" && createdAtMs < askedAtMs - STEP_MS)
    .flatMap((change) => {
      const late = own.filter(({ claimedAtMs }) => claimedAtMs > change.answeredAtMs + CLOCK_MS);
      const [first] = late;
      if (!first) return [];
      const afterMs = first.claimedAtMs - change.answeredAtMs;
      const before = attempts.get(scheduleId)?.find(({ attempt }) => attempt === first.attempt - 1);
      if (before === undefined) {
        // A claim of the same attempt that was released again had been made before.
        const wasClaimed = own.some(({ claimedAtMs }) => claimedAtMs <= change.answeredAtMs + CLOCK_MS);
        return wasClaimed ? [] : [say(change, first.attempt, afterMs)];
      }
      const endedAtMs = before.attemptedAtMs + before.latencyMs;
      const wasOver = before.outcome !== "interrupted" && endedAtMs + RECORDED_MS < change.askedAtMs;
      return wasOver ? [say(change, first.attempt, afterMs)] : [];
    });
}
