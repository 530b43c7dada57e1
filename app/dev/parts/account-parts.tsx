import { ContinueCard } from "#components/account/continue-card.tsx";
import { EventTable } from "#components/account/event-table.tsx";
import type { ShownEvent } from "#components/account/event-words.ts";
import { Identities } from "#components/account/identities.tsx";
import { type Payment, PaymentState, type Subscription } from "#components/account/payment-state.tsx";
import { Sessions } from "#components/account/sessions.tsx";
import { Card, CardBody } from "#components/ui/card.tsx";
import { type Month, MonthCard } from "#components/usage/month-card.tsx";
import { QuotaNotice } from "#components/usage/quota-notice.tsx";
import { UsageText } from "#components/usage/usage-text.tsx";
import { LONG_NAME } from "./extreme-values.ts";
import { Section } from "./section.tsx";

const NOW = new Date("2026-03-27T14:32:07.000Z");

const PAYMENT: Payment = {
  isConfigured: true,
  isFromCheckout: false,
  paidPlan: "indie",
  env: "live",
  checkoutAction: "#checkout",
  portalAction: "#portal",
  checkHref: "#check",
};

const FREE: Subscription = { plan: "free", status: "none", currentPeriodEnd: null, manageable: false };
const PAID: Subscription = {
  plan: "indie",
  status: "active",
  currentPeriodEnd: "2026-04-27T00:00:00.000Z",
  manageable: true,
};

const PAYMENTS = {
  "not set up": { subscription: FREE, payment: { ...PAYMENT, isConfigured: false } },
  free: { subscription: FREE, payment: PAYMENT },
  "on its way": { subscription: FREE, payment: { ...PAYMENT, isFromCheckout: true } },
  paid: { subscription: PAID, payment: PAYMENT },
  failed: { subscription: { ...PAID, status: "past_due" }, payment: PAYMENT },
  cancelled: { subscription: { ...PAID, status: "canceled" }, payment: PAYMENT },
  granted: { subscription: { ...FREE, plan: "indie" }, payment: PAYMENT },
} as const;

const MONTH: Month = {
  env: "live",
  scheduled: 1_412,
  limit: 2_000,
  graceLimit: 2_200,
  projected: 1_645,
  endsAt: new Date("2026-04-01T00:00:00.000Z"),
  now: NOW,
};

const SESSION = { createdAt: "2026-03-20T14:32:07.000Z", lastUsedAt: "2026-03-27T12:00:00.000Z" };

const EVENT: ShownEvent = {
  id: "1",
  kind: "signed_in",
  at: SESSION.lastUsedAt,
  lastAt: SESSION.lastUsedAt,
  count: 1,
  by: { kind: "sign_in" },
  apiKey: null,
  env: null,
  scheduleId: null,
  provider: "google",
  reason: null,
  network: "203.0.113.0/24",
  userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
};
const KEY = { name: "production server", env: "live" } as const;
const BY_SESSION = { kind: "session" } as const;

const EVENTS: readonly Partial<ShownEvent>[] = [
  {},
  { provider: null, userAgent: null },
  { by: { kind: "operator" }, provider: null, network: null, userAgent: null },
  {
    kind: "credential_refused",
    by: null,
    apiKey: KEY,
    count: 1_281,
    reason: "revoked",
    userAgent: LONG_NAME.repeat(3),
  },
  { kind: "credential_refused", by: null, reason: "expired" },
  { kind: "credential_refused", by: null, apiKey: { ...KEY, name: LONG_NAME }, reason: "deactivated" },
  { kind: "api_key_created", by: BY_SESSION, apiKey: KEY },
  { kind: "api_key_rotated", by: BY_SESSION, apiKey: KEY, network: "2001:db8:1::/48" },
  { kind: "api_key_revoked", by: BY_SESSION, apiKey: KEY },
  { kind: "signing_secrets_rotated", by: { kind: "api_key" }, env: "test", userAgent: "curl/8.9.1" },
  { kind: "test_deliveries_opened", by: BY_SESSION, env: "test" },
  { kind: "test_deliveries_closed", by: BY_SESSION, env: "test" },
  { kind: "request_redirected", by: BY_SESSION, env: "live", scheduleId: "sch_01kbm5qk4f8rz3c2x7w9v6n1ta" },
  { kind: "identity_linked" },
  { kind: "identity_removed", by: BY_SESSION },
  { kind: "session_ended", by: BY_SESSION },
  { kind: "session_ended", by: BY_SESSION, count: 4 },
  { kind: "account_deactivated", by: { kind: "administrator" }, network: null, userAgent: null },
  { kind: "account_reactivated", by: { kind: "operator" }, network: null, userAgent: null },
];

/** Payment and usage in every state, sessions, identities and the security log. */
export function AccountParts() {
  return (
    <>
      <Section title="Payment: not set up, free, on its way, paid, failed, cancelled, granted" columns>
        {Object.entries(PAYMENTS).map(([name, state]) => (
          <Card key={name}>
            <CardBody>
              <PaymentState {...state} />
            </CardBody>
          </Card>
        ))}
        <ContinueCard url="https://checkout.example.com/pay" isPortal={false} accountHref="#account" />
        <ContinueCard url={undefined} isPortal accountHref="#account" />
      </Section>
      <Section title="Usage: in the grace, full, very much; sessions">
        <QuotaNotice month={{ ...MONTH, scheduled: 2_086 }} />
        <QuotaNotice month={{ ...MONTH, scheduled: 2_200 }} />
        <MonthCard
          month={{
            ...MONTH,
            scheduled: 1_234_567_890,
            limit: 2_000_000_000,
            graceLimit: 2_200_000_000,
            projected: 9_876_543_210,
          }}
        />
        <UsageText month={{ ...MONTH, scheduled: 0, limit: 0, graceLimit: 0, projected: null }} plan="Free" />
        <Sessions
          sessions={[
            {
              id: "1",
              ...SESSION,
              current: true,
              userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            },
            { id: "2", ...SESSION, current: false, userAgent: LONG_NAME.repeat(3) },
            { id: "3", ...SESSION, current: false, userAgent: null },
          ]}
          endOthersAction="#sign-out"
          endAction="#end"
          ended="others"
          now={NOW}
          zone="UTC"
        />
      </Section>
      <Section title="Identities: two; the security log: every kind of event">
        <Identities
          linkHref="#link"
          identities={[
            { id: "1", provider: "google", createdAt: SESSION.createdAt, removeHref: "#remove" },
            { id: "2", provider: "github", createdAt: SESSION.lastUsedAt, removeHref: "#remove" },
          ]}
          now={NOW}
          zone="UTC"
        />
        <EventTable
          title="Security log"
          events={EVENTS.map((event, at) => ({ ...EVENT, ...event, id: String(at) }))}
          now={NOW}
          zone="UTC"
        />
      </Section>
    </>
  );
}

/** Identities and the security log without entries. On a page of its own: headings must be unique. */
export function EmptyAccountParts() {
  return (
    <Section title="Identities: one removed, none left; the security log: no event">
      <Identities identities={[]} linkHref="#link" did="removed" now={NOW} zone="UTC" />
      <EventTable title="Security log" events={[]} now={NOW} zone="UTC" />
    </Section>
  );
}
