import { type Connection as Database, DatabaseUnavailable } from "#db/client.ts";
import { readSealedRequests } from "#db/queries/expired-claims.ts";
import { type AttemptRecord, recordAttempts } from "#db/queries/record-attempts.ts";
import { scheduleAad, secretAad } from "#domain/associated-data.ts";
import { type KeyRing, open as openSealed } from "#domain/cipher.ts";
import { cleanErrorText, failureText } from "#domain/error-text.ts";
import type { Plans } from "#domain/plans.ts";
import { ON_TIME_WITHIN_MS, offsetBucket } from "#domain/punctuality.ts";
import { effectiveRelaySettings } from "#domain/relay-settings.ts";
import { unpackRequest } from "#domain/sealed-request.ts";
import { settleAttempt } from "#domain/settle-attempt.ts";
import type { Ended } from "./send.ts";

export type Recorded = { record: AttemptRecord; newVersion: number | null };

const ROWS_MAX = 500;
const IN_FLIGHT_MAX = 2;
const DEADLINE_MS = 5_000;

/**
 * Writes outcomes, many in one statement. What cannot be written now is held and sent again until it is: 0 rows then
 * means that it was written the first time, or that the schedule has moved on.
 */
export function createRecorder(deps: {
  database: Database;
  keyRing: KeyRing;
  plans: Plans;
  random: () => number;
  onRecorded: (recorded: Recorded[]) => void;
  /** A statement ended, well or not: another may be started. */
  onSettled: () => void;
  /** The database refuses this outcome: a mistake of this program. The attempt will be recovered as interrupted. */
  onRefused: (scheduleId: string, error: unknown) => void;
}) {
  let waiting: { record: AttemptRecord; ended: Ended | null }[] = [];
  const held = new Set<string>();
  let inFlight = 0;
  let paused = false;
  let rowsAtOnce = ROWS_MAX;

  const add = (record: AttemptRecord, ended: Ended | null) => {
    waiting.push({ record, ended });
    held.add(record.scheduleId);
  };

  const flush = async (): Promise<number> => {
    const batch = waiting.splice(0, rowsAtOnce);
    if (waiting.length === 0) rowsAtOnce = ROWS_MAX;
    inFlight++;
    try {
      await writeErrorTexts(batch);
      const written = await deps.database.run(DEADLINE_MS, ({ sql }) =>
        recordAttempts(
          sql,
          batch.map(({ record }) => record),
        ),
      );
      paused = false;
      const versions = new Map(written.map(({ id, version }) => [id, version]));
      for (const { record } of batch) held.delete(record.scheduleId);
      deps.onRecorded(batch.map(({ record }) => ({ record, newVersion: versions.get(record.scheduleId) ?? null })));
      return written.length;
    } catch (error) {
      if (error instanceof DatabaseUnavailable) {
        paused = true;
        waiting = batch.concat(waiting);
        return 0;
      }
      // One row that the database refuses must not keep the others from being written, nor stop the loop.
      if (batch.length === 1) {
        held.delete(batch[0]?.record.scheduleId ?? "");
        deps.onRefused(batch[0]?.record.scheduleId ?? "", error);
      } else {
        rowsAtOnce = 1;
        waiting = batch.concat(waiting);
      }
      return 0;
    } finally {
      inFlight--;
      deps.onSettled();
    }
  };

  /** A failure's text is compared with what was sent: the ciphertext is read again, off the sending path. */
  const writeErrorTexts = async (batch: typeof waiting) => {
    const withText = batch.filter(({ ended }) => ended !== null && ended.body !== "");
    if (withText.length === 0) return;
    const sealed = await deps.database.run(DEADLINE_MS, ({ sql }) =>
      readSealedRequests(
        sql,
        withText.map(({ record }) => record.scheduleId),
      ),
    );
    for (const one of withText) {
      const { ended, record } = one as { ended: Ended; record: AttemptRecord };
      record.errorText = comparedText(ended, sealed.get(record.scheduleId) ?? null);
      one.ended = null;
    }
  };

  const comparedText = (ended: Ended, sealed: string | null): string => {
    const { claimed } = ended.won;
    const secrets = [claimed.currentSecret, claimed.formerSecret].filter((secret) => secret !== null);
    try {
      const request = sealed
        ? unpackRequest(openSealed(deps.keyRing, Buffer.from(sealed, "base64"), scheduleAad(claimed.id)))
        : { headers: [], payload: null };
      return failureText(ended.body, {
        ...request,
        secrets: secrets.map((secret) =>
          openSealed(deps.keyRing, Buffer.from(secret, "base64"), secretAad(claimed.accountId, claimed.env)).toString(),
        ),
      });
    } catch {
      // What cannot be compared is not stored.
      return "";
    }
  };

  return {
    /** Takes the outcome of an attempt. */
    ended(ended: Ended) {
      add(attemptRecord(ended, deps.plans, deps.random), ended);
    },
    /** Takes a record that is complete: an interrupted attempt. */
    add: (record: AttemptRecord) => add(record, null),

    /** Starts what statements may be started; for the loop, which does not wait. */
    start() {
      const atOnce = paused ? 1 : IN_FLIGHT_MAX;
      while (waiting.length > 0 && inFlight < atOnce) void flush();
    },
    /** Whether there is a full statement to be started. */
    isFull: () => waiting.length >= rowsAtOnce && inFlight < IN_FLIGHT_MAX && !paused,
    holds: (scheduleId: string) => held.has(scheduleId),
    waiting: () => waiting.length,
    pending: () => waiting.length + inFlight,
    isFailing: () => paused,
  };
}

export type Recorder = ReturnType<typeof createRecorder>;

function attemptRecord(ended: Ended, plans: Plans, random: () => number): AttemptRecord {
  const { won, outcome } = ended;
  const { claimed, planned } = won;
  const startedAtMs = Math.max(claimed.claimedAtMs, claimed.dueAtMs);
  const attemptedAtMs = Math.floor(ended.attemptedAtMs ?? startedAtMs);
  const offsetMs = attemptedAtMs - claimed.fireAtMs;
  const waitMs = planned.waitMs;
  const settings = effectiveRelaySettings(
    {
      cpsLimit: null,
      earlyFire: null,
      retryAttempts: claimed.retryAttempts,
      retryBackoffMs: claimed.retryBackoffMs,
      retryStrategy: claimed.retryStrategy,
    },
    plans[claimed.plan],
  );
  const settled = settleAttempt({
    outcome,
    failures: claimed.failures,
    interruptions: claimed.interruptions,
    knobs: settings,
    finishedAtMs: ended.finishedAtMs,
    random,
    claimDeadlineMs: claimed.claimDeadlineMs,
  });
  return {
    scheduleId: claimed.id,
    version: claimed.version,
    attempt: claimed.attempt,
    outcome: outcome.kind,
    statusCode: "statusCode" in outcome ? outcome.statusCode : null,
    latencyMs: ended.attemptedAtMs === null ? 0 : Math.max(0, Math.round(ended.finishedAtMs - ended.attemptedAtMs)),
    errorText: "error" in outcome ? cleanErrorText(outcome.error) : "",
    attemptedAtMs,
    timing: {
      lateMs: (ended.attemptedAtMs ?? startedAtMs) - claimed.dueAtMs,
      claimMs: won.claimMs,
      waitMs,
      connectMs: ended.connectMs,
      firstByteMs: ended.firstByteMs,
    },
    ...settled,
    nextAttemptAtMs: settled.nextAttemptAtMs === null ? null : Math.ceil(settled.nextAttemptAtMs),
    offsetBucket: offsetBucket(offsetMs),
    onTime: offsetMs <= ON_TIME_WITHIN_MS,
    isPublic: ended.attemptedAtMs !== null && waitMs === 0 && !claimed.heldBack,
  };
}
