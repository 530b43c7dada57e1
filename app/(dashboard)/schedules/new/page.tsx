import { NewScheduleForm } from "#components/schedules/new-schedule-form.tsx";
import { writeDeliveryText } from "#domain/delivery-text.ts";
import { effectiveRelaySettings } from "#domain/relay-settings.ts";
import { emptyDraft } from "#domain/schedule-draft.ts";
import { hasRecentSignIn } from "#server/auth/recent-sign-in.ts";
import { signInPageUrl } from "#server/auth/redirects.ts";
import { readOwnRelaySettings } from "#server/relay-settings/read.ts";
import { readScheduleInFull } from "#server/schedules/read-in-full.ts";
import { SDK_NAME } from "#server/sdk-package.ts";
import { confirmAgain } from "../../confirm-again.tsx";
import { dashboardPage } from "../../dashboard-page.tsx";
import { hrefIn, hrefWith } from "../../view.ts";
import { createSchedule } from "./create-schedule.ts";

export default dashboardPage("/schedules/new", async ({ ctx, view }) => {
  const { from } = view.params;
  const [saved, cloned] = await Promise.all([
    readOwnRelaySettings(ctx),
    from === undefined ? undefined : readScheduleInFull(ctx, from, view.now),
  ]);
  const isEarly = effectiveRelaySettings(saved, ctx.limits).earlyFire;
  const keeps = cloned !== undefined && !cloned.isErased;
  const isRecent = hasRecentSignIn(ctx);
  const asksAgain = cloned !== undefined && view.params.elsewhere !== undefined && !isRecent;
  return {
    title: cloned ? "Clone" : "New schedule",
    documentTitle: cloned ? "Clone a schedule" : undefined,
    crumb: { href: hrefIn(view.env, "/schedules"), label: "Schedules" },
    narrow: asksAgain,
    body: asksAgain ? (
      await confirmAgain(
        { ctx, view },
        {
          why: "Sending a stored request to another URL needs a newer sign-in.",
          keep: { href: hrefWith(view, { elsewhere: undefined }), label: "Keep its URL" },
        },
      )
    ) : (
      <NewScheduleForm
        action={createSchedule}
        initial={{
          ...emptyDraft(view.browserZone ?? "UTC"),
          earlyFire: isEarly,
          keepsHeaders: keeps,
          keepsPayload: keeps,
          url: cloned?.targetUrl ?? "",
          ...writeDeliveryText(cloned?.delivery ?? null),
        }}
        formKey={crypto.randomUUID()}
        env={view.env}
        isZoneKnown={view.browserZone !== undefined}
        madeAtMs={view.now.getTime()}
        payloadBytesMax={ctx.limits.payloadBytesMax}
        isEarlyByDefault={isEarly}
        mayAllowMore={ctx.config.targetPolicy.allowedOrigins.size > 0}
        baseUrl={ctx.config.baseUrl}
        sdkName={SDK_NAME}
        cloned={
          cloned && {
            ...pick(cloned),
            href: hrefIn(view.env, `/schedules/${cloned.id}`),
            signInHref: isRecent ? null : hrefWith(view, { elsewhere: "1" }),
          }
        }
        signInHref={signInPageUrl("/login", {}, hrefWith(view, {}))}
      />
    ),
  };
});

// The browser gets no other field of the schedule.
function pick(schedule: Awaited<ReturnType<typeof readScheduleInFull>>) {
  const { id, method, targetUrl, payloadSizeBytes, isErased } = schedule;
  return { id, method, targetUrl, payloadSizeBytes, isErased, delivery: writeDeliveryText(schedule.delivery) };
}
