import type { RecurrenceRow } from "#db/queries/recurrences/find.ts";
import { parseCron } from "#domain/cron.ts";
import { presentOccurrenceDelivery } from "#domain/delivery-options.ts";
import { formatInstant, instantOrNull } from "#domain/instant.ts";
import { spreadShareMs } from "#domain/recurrence.ts";
import { presentNext } from "#domain/recurrence-next.ts";
import { recurrenceSpacing } from "#domain/recurrence-spacing.ts";
import { ruleInWords } from "#domain/rule-in-words.ts";
import type { ChangedRecurrence } from "./change.ts";

/** A recurrence as callers see it. */
export function presentRecurrence(row: RecurrenceRow) {
  const { nowMs, zone, onClockChange, endsAtMs } = row;
  const rule = ruleOf(row);
  // What is paused without an end does not fire, whatever its rule says.
  const fromMs = row.status === "paused" ? row.pausedUntilMs && Math.max(row.pausedUntilMs, nowMs) : nowMs;
  const times = { rule, zone, onClockChange, endsAtMs };
  return {
    key: row.key,
    name: row.name,
    status: row.status,
    cron: row.cron,
    rule: ruleInWords(rule),
    timezone: zone,
    on_clock_change: onClockChange,
    overlap: row.overlap,
    catch_up: row.catchUp,
    spread_ms: row.spreadMs,
    ends_at: instantOrNull(endsAtMs),
    target_url: row.targetUrl,
    method: row.method as "POST",
    early_fire: row.earlyFire,
    payload_size_bytes: row.payloadSizeBytes,
    has_payload: row.payloadSizeBytes > 0,
    delivery: presentOccurrenceDelivery(row.delivery),
    next: fromMs === null ? [] : presentNext(times, { nowMs: fromMs, shareMs: spreadShareMs(row.id, row.spreadMs) }),
    monthly_estimate: recurrenceSpacing(rule, nowMs).monthly,
    pause_note: row.pauseNote,
    paused_until: instantOrNull(row.pausedUntilMs),
    left_out: row.leftOut.map(({ fromMs: from, toMs, count, reason }) => ({
      ...{ from: formatInstant(from), to: formatInstant(toMs), count, reason },
    })),
    created_at: formatInstant(row.createdAtMs),
    updated_at: formatInstant(row.updatedAtMs),
  };
}

/** The response body of a PUT or a pause. */
export function presentChanged(changed: ChangedRecurrence) {
  return { ...presentRecurrence(changed.row), ...takenBack(changed) };
}

/** The response body of DELETE /v1/recurrences/:key. */
export function presentDeleted(deleted: ChangedRecurrence) {
  return { key: deleted.row.key, ...takenBack(deleted) };
}

function ruleOf({ id, cron }: RecurrenceRow) {
  const parsed = parseCron(cron);
  if (!parsed.ok) throw new Error(`recurrence ${id} has a rule that cannot be read`);
  return parsed.rule;
}

const takenBack = ({ taken, inFlight }: ChangedRecurrence) => ({ taken_back: taken, in_flight: inFlight });
