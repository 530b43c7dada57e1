import { MonthlyUse, NextInstants } from "#components/recurrences/next-instants.tsx";
import { type PastOccurrence, PastOccurrences, type Reason } from "#components/recurrences/past-occurrences.tsx";
import { RecurrenceSummary } from "#components/recurrences/recurrence-summary.tsx";
import { RecurrencesEmpty, RecurrenceTable } from "#components/recurrences/recurrence-table.tsx";
import { Card } from "#components/ui/card.tsx";
import { TextField } from "#components/ui/field.tsx";
import { OptionalCard } from "#components/ui/optional-card.tsx";
import { emptyRecurrence, readTimes } from "#domain/recurrence-draft.ts";
import { LEFT_OUT_REASONS, RECURRENCE_STATUSES } from "#domain/recurrence-step.ts";
import { LONG_NAME } from "./extreme-values.ts";
import { Section } from "./section.tsx";

const NOW = new Date("2026-03-27T14:32:07.412Z");
const at = (days: number) => new Date(NOW.getTime() - days * 86_400_000);

const RULE = {
  rule: "on the 28th and 31st of March and October at 02:30",
  timezone: "America/Argentina/ComodRivadavia",
};

const PAST: PastOccurrence[] = [
  { at: at(1), href: "#one", status: "succeeded", offsetMs: 4 },
  { at: at(2), href: "#two", status: "failed", offsetMs: -18 },
  { at: at(3), href: "#three", status: "cancelled", offsetMs: null },
  ...LEFT_OUT_REASONS.map((reason: Reason, n) => ({
    ...{ at: at(6 + n), to: at(5 + n), count: [1, 2, null][n % 3] ?? null, reason },
  })),
];

/** Recurrences: the list and its empty state, the summary in each status, past and next instants. */
export function RecurrenceParts() {
  const draft = { ...emptyRecurrence("Europe/Berlin"), cron: "30 2 28,31 3,10 *", spread: "1h" };
  const shared = { key: LONG_NAME, ...RULE, pausedUntil: null, endsAt: null };
  return (
    <Section title="Recurrences">
      <Card>
        <RecurrencesEmpty newHref="#new" baseUrl="https://stopwatch.example.com" env="live" />
      </Card>
      <Card>
        <RecurrenceTable
          recurrences={RECURRENCE_STATUSES.map((status, n) => ({
            ...{ ...RULE, key: `${LONG_NAME}-${n}`, name: n === 0 ? "Daily report" : null, status, href: "#one" },
            next: status === "active" ? at(-3) : null,
            last: n === 2 ? null : { status: "failed", at: at(1) },
          }))}
          now={NOW}
          zone="UTC"
        />
      </Card>
      {RECURRENCE_STATUSES.map((status) => (
        <RecurrenceSummary
          key={status}
          recurrence={{
            ...shared,
            status,
            next: status === "active" ? at(-3) : null,
            pauseNote: status === "paused" ? LONG_NAME.repeat(3) : null,
            endsAt: status === "ended" ? at(1) : null,
          }}
          fields={{}}
          typed={{ note: "", until: "", error: undefined }}
          fireHref={status === "active" ? "#fire" : undefined}
          deleteHref="#delete"
          now={NOW}
          zone="UTC"
        />
      ))}
      <PastOccurrences occurrences={PAST} zone="Europe/Berlin" listHref="#all" />
      <Card>
        {(["first", "skip"] as const).map((onClockChange) => {
          const read = readTimes({ ...draft, onClockChange }, NOW.getTime());
          return read.ok && <NextInstants key={onClockChange} read={read} fromMs={NOW.getTime()} />;
        })}
        <MonthlyUse monthly={4_464} limit={2_000} />
        <MonthlyUse monthly={22} limit={2_000} />
      </Card>
      <OptionalCard title="Options that few need" isUsed={false} isWrong>
        <TextField name="option" label="Option" error="This is wrong." />
      </OptionalCard>
    </Section>
  );
}
