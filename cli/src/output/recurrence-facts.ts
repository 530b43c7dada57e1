import { writeDuration } from "../../../domain/duration.ts";
import type { ChangedRecurrence, LeftOut, NextOccurrence, Recurrence } from "../../../sdk/src/types.ts";
import { localTimeInZone } from "./local-time.ts";
import type { Fact } from "./output.ts";
import { describeDelivery, describeSize } from "./schedule-facts.ts";
import type { Column } from "./table.ts";

/** A recurrence as lines for people. */
export function recurrenceFacts(recurrence: Recurrence | ChangedRecurrence): Fact[] {
  const { delivery, next, pause_note, paused_until, status } = recurrence;
  const { taken_back, in_flight } = { taken_back: 0, in_flight: 0, ...recurrence };
  const nexts = next.map((one, at): Fact => [at === 0 ? "next" : "", describeNext(one)]);
  const pause = [paused_until && `until ${localTimeInZone(paused_until)}`, pause_note].filter(Boolean).join(", ");
  return [
    ["key", recurrence.key],
    ["name", recurrence.name],
    ["status", pause ? `${status} ${pause}` : status],
    ["rule", `${recurrence.cron} in ${recurrence.timezone}: ${recurrence.rule}`],
    ["request", `${recurrence.method} ${recurrence.target_url}`],
    ["payload", recurrence.has_payload ? describeSize(recurrence.payload_size_bytes) : "none"],
    ...nexts,
    ["a month", `${recurrence.monthly_estimate} schedules by the rule`],
    ["clock changes", recurrence.on_clock_change === "first" ? null : recurrence.on_clock_change],
    ["overlap", recurrence.overlap === "skip" ? "none is sent while an earlier one is open" : null],
    ["catch up", recurrence.catch_up === "none" ? "what could not be sent in time is left out" : null],
    ["spread", recurrence.spread_ms > 0 ? `over ${writeDuration(recurrence.spread_ms)}` : null],
    ["ends", recurrence.ends_at && localTimeInZone(recurrence.ends_at)],
    ["delivery", delivery && describeDelivery({ ...delivery, expires_at: null }, delivery.expires_in_ms)],
    ["early firing", recurrence.early_fire === null ? null : recurrence.early_fire ? "on" : "off"],
    ["left out", recurrence.left_out.length > 0 ? recurrence.left_out.slice(-3).map(describeLeftOut).join("; ") : null],
    ["taken back", taken_back > 0 ? `${taken_back} that had not left or waited for a retry` : null],
    ["in flight", in_flight > 0 ? `${in_flight} that go on` : null],
  ];
}

/** Recurrences as a table for people. */
export function recurrenceColumns(): Column<Recurrence>[] {
  return [
    { title: "KEY", value: ({ key }) => key },
    {
      title: "STATUS",
      value: ({ status }) => status,
      colour: ({ status }) => (status === "active" ? undefined : "dim"),
    },
    { title: "RULE", value: ({ rule, timezone }) => `${rule} (${timezone})` },
    { title: "NEXT", value: ({ next: [first] }) => (first ? describeNext(first) : "-") },
    { title: "REQUEST", value: ({ method, target_url }) => `${method} ${target_url}`, shrinks: true },
  ];
}

/** By the clocks of its zone, such as `2031-01-01 09:00:00 +01:00`. */
function describeNext({ local, offset, clock_change }: NextOccurrence): string {
  const change = { gap: " (the clocks skip the time of the rule)", repeat: " (the clocks show it twice)" };
  return `${local.replace("T", " ")} ${offset}${clock_change === null ? "" : change[clock_change]}`;
}

function describeLeftOut({ from, count, reason }: LeftOut): string {
  const many = count === 1 ? "" : ` and ${count === null ? "more" : count - 1} after it`;
  return `${localTimeInZone(from)}${many}: ${reason}`;
}
