import { DeleteLink } from "#components/account/delete-link.tsx";
import { EventTable } from "#components/account/event-table.tsx";
import { Identities } from "#components/account/identities.tsx";
import { PlanCard } from "#components/account/plan-card.tsx";
import { ProfileForm } from "#components/account/profile-form.tsx";
import { Sessions } from "#components/account/sessions.tsx";
import { CardFoot } from "#components/ui/card.tsx";
import { ErrorSummary } from "#components/ui/error-summary.tsx";
import { FormOutcome } from "#components/ui/form-outcome.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { PAID_PLAN } from "#domain/subscription.ts";
import { hasAdministrators } from "#server/admin/has-administrators.ts";
import { enabledProviders } from "#server/auth/enabled-providers.ts";
import { listOwnIdentities, presentIdentity } from "#server/identities/list.ts";
import { presentProfile } from "#server/me/present.ts";
import { readOwnProfile } from "#server/me/read.ts";
import { listOwnSessions, presentSession } from "#server/me/sessions.ts";
import { listOwnEvents } from "#server/security/list.ts";
import { presentEvent } from "#server/security/present.ts";
import { dashboardPage } from "../dashboard-page.tsx";
import { hrefIn, hrefWith } from "../view.ts";

export default dashboardPage("/account", async ({ ctx, view }) => {
  const [row, sessions, identities, events] = await Promise.all([
    readOwnProfile(ctx),
    listOwnSessions(ctx),
    listOwnIdentities(ctx),
    listOwnEvents(ctx, { limit: EVENTS_SHOWN, offset: 0 }),
  ]);
  const { user, subscription, isAdmin } = presentProfile(ctx, row);
  const { error, wrong, name, checkout } = view.params;
  const nameError = wrong === "name" ? "A name has 1 to 80 characters on one line." : undefined;
  return {
    title: "Account and billing",
    narrow: true,
    body: (
      <>
        <ErrorSummary problems={nameError ? [{ id: "name", message: nameError }] : []} />
        <FormOutcome message={view.flash?.result === "saved" ? "Saved." : undefined} error={error} words={FAILED} />
        <ProfileForm
          owner={user}
          isAdmin={isAdmin}
          hasAdministrators={hasAdministrators()}
          action="/account/profile"
          signOutAction="/account/sign-out"
          typedName={nameError && (name ?? "")}
          nameError={nameError}
        />
        <Sessions
          sessions={sessions.map((session) => presentSession(ctx, session))}
          endOthersAction="/account/sign-out-elsewhere"
          endAction="/account/end-session"
          ended={endedBy(view.flash?.result)}
          now={view.now}
          zone={view.zone}
        />
        <Identities
          identities={identities.map(presentIdentity).map((identity) => ({
            ...identity,
            removeHref: hrefIn(view.env, `/account/identities/${identity.id}`),
          }))}
          linkHref={enabledProviders(ctx.config).length > 0 ? hrefIn(view.env, "/account/identities/new") : undefined}
          did={identityDid(view.flash?.result)}
          now={view.now}
          zone={view.zone}
        />
        <EventTable
          title="Security log"
          events={events.rows.map(presentEvent)}
          foot={
            <CardFoot>
              Kept for 90 days.
              {events.hasMore && (
                <TextLink href={hrefIn(view.env, "/account/events")}>All {events.total} events</TextLink>
              )}
            </CardFoot>
          }
          now={view.now}
          zone={view.zone}
        />
        <PlanCard
          plan={subscription.plan}
          plans={ctx.config.plans}
          subscription={subscription}
          payment={{
            isConfigured: ctx.config.stripe !== undefined,
            isFromCheckout: checkout === "done",
            paidPlan: PAID_PLAN,
            env: view.env,
            checkoutAction: "/account/checkout",
            portalAction: "/account/portal",
            checkHref: hrefWith(view, {}),
          }}
        />
        <DeleteLink href={hrefIn(view.env, "/account/delete")} />
      </>
    ),
  };
});

const EVENTS_SHOWN = 8;

function identityDid(did: string | undefined): "linked" | "removed" | undefined {
  if (did === "linked") return "linked";
  return did === "unlinked" ? "removed" : undefined;
}

function endedBy(did: string | undefined): "others" | "one" | undefined {
  if (did === "ended") return "others";
  return did === "ended-one" ? "one" : undefined;
}

const FAILED = new Map(
  Object.entries({
    CONFLICT: "Billing changed after this page loaded. Check it, then try again.",
    UNAVAILABLE: "The billing provider did not answer. Nothing was charged. Try again in a minute.",
  }),
);
