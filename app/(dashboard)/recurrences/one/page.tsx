import { PastOccurrences } from "#components/recurrences/past-occurrences.tsx";
import { RecurrenceForm } from "#components/recurrences/recurrence-form.tsx";
import { RecurrenceSummary } from "#components/recurrences/recurrence-summary.tsx";
import { FormOutcome } from "#components/ui/form-outcome.tsx";
import { chooseWords, timeOf } from "#domain/chosen-time.ts";
import { writeDeliveryText } from "#domain/delivery-text.ts";
import { writeDuration } from "#domain/duration.ts";
import { quotaOf } from "#domain/quota.ts";
import { choiceOf, emptyRecurrence, type RecurrenceDraft } from "#domain/recurrence-draft.ts";
import { effectiveRelaySettings } from "#domain/relay-settings.ts";
import { EMPTY_REQUEST } from "#domain/schedule-draft.ts";
import { signInPageUrl } from "#server/auth/redirects.ts";
import { RECURRENCE_PAGE } from "#server/recurrences/put-by-form.ts";
import { readRecurrenceInFull } from "#server/recurrences/read-in-full.ts";
import { readOwnRelaySettings } from "#server/relay-settings/read.ts";
import { dashboardPage } from "../../dashboard-page.tsx";
import { hrefIn, hrefWith, type View } from "../../view.ts";
import { outcomeInWords } from "../outcome.ts";
import { saveRecurrence } from "./save-recurrence.ts";

type InFull = Awaited<ReturnType<typeof readRecurrenceInFull>>;

export default dashboardPage(RECURRENCE_PAGE, async ({ ctx, view }) => {
  const { key, error } = view.params;
  const [saved, found] = await Promise.all([
    readOwnRelaySettings(ctx),
    key === undefined ? undefined : readRecurrenceInFull(ctx, key),
  ]);
  const isEarly = effectiveRelaySettings(saved, ctx.limits).earlyFire;
  return {
    title: found ? (found.row.name ?? found.row.key) : "New recurrence",
    crumb: { href: hrefIn(view.env, "/recurrences"), label: "Recurrences" },
    body: (
      <>
        <FormOutcome
          message={outcomeInWords(view.flash)}
          error={error === "until" ? undefined : error}
          words={FAILED}
        />
        {found && <Summary found={found} view={view} />}
        {found && <Past found={found} view={view} />}
        <RecurrenceForm
          action={saveRecurrence}
          initial={
            found ? draftOf(found, isEarly) : { ...emptyRecurrence(view.browserZone ?? "UTC"), earlyFire: isEarly }
          }
          stored={found && { payloadSizeBytes: found.row.payloadSizeBytes }}
          env={view.env}
          isZoneKnown={view.browserZone !== undefined}
          madeAtMs={view.now.getTime()}
          payloadBytesMax={ctx.limits.payloadBytesMax}
          mayAllowMore={ctx.config.targetPolicy.allowedOrigins.size > 0}
          quota={quotaOf(ctx.limits, view.env).limit}
          signInHref={signInPageUrl("/login", {}, hrefWith(view, {}))}
        />
      </>
    ),
  };
});

const FAILED = new Map([["CONFLICT", "It has ended. A later end, or another rule, begins it again."]]);

function Summary({ found: { row, recurrence, nextId }, view }: { found: InFull; view: View }) {
  const { note, until, error } = view.params;
  const { key } = row;
  const [next] = recurrence.next;
  return (
    <RecurrenceSummary
      recurrence={{
        ...recurrence,
        next: next ? new Date(next.fire_at) : null,
        pauseNote: row.pauseNote,
        pausedUntil: instantOf(row.pausedUntilMs),
        endsAt: instantOf(row.endsAtMs),
      }}
      fields={{ key, env: view.env }}
      typed={{
        note: note ?? row.pauseNote ?? "",
        until: until ?? "",
        error: error === "until" ? problemOf(until ?? "", row.zone, view.now) : undefined,
      }}
      fireHref={nextId && hrefIn(view.env, `/schedules/${nextId}/fire`)}
      deleteHref={hrefIn(view.env, "/recurrences/delete", { key })}
      now={view.now}
      zone={view.zone}
    />
  );
}

function Past({ found: { row, past }, view }: { found: InFull; view: View }) {
  return (
    <PastOccurrences
      occurrences={past.map((one) => ("id" in one ? { ...one, href: hrefIn(view.env, `/schedules/${one.id}`) } : one))}
      zone={row.zone}
      listHref={hrefIn(view.env, "/schedules", { recurrence: row.key })}
    />
  );
}

/** What is wrong with the typed end of a pause. */
function problemOf(until: string, zone: string, now: Date): string {
  const chosen = chooseWords(until, zone, now.getTime());
  return chosen.ok ? "This has passed. Name a later instant." : chosen.message;
}

/** A stored recurrence as it would be typed. */
function draftOf({ row }: InFull, isEarlyByDefault: boolean): RecurrenceDraft {
  const ends = row.endsAtMs === null ? undefined : timeOf(new Date(row.endsAtMs), row.zone);
  return {
    ...EMPTY_REQUEST,
    ...{ key: row.key, name: row.name ?? "", cron: row.cron, ...choiceOf(row.cron), zone: row.zone },
    ...{ onClockChange: row.onClockChange, overlap: row.overlap, catchUp: row.catchUp },
    spread: row.spreadMs === 0 ? "" : writeDuration(row.spreadMs),
    ends: ends ? ends.at || ends.words : "",
    ...{ method: row.method, url: row.targetUrl, earlyFire: row.earlyFire ?? isEarlyByDefault },
    ...writeDeliveryText(row.delivery),
    keepsHeaders: true,
    keepsPayload: true,
  };
}

const instantOf = (epochMs: number | null) => (epochMs === null ? null : new Date(epochMs));
