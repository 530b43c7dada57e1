import { ContinueCard } from "#components/account/continue-card.tsx";
import { type Payment, PaymentState, type Subscription } from "#components/account/payment-state.tsx";
import { Sessions } from "#components/account/sessions.tsx";
import { Card, CardBody } from "#components/ui/card.tsx";
import { InWords } from "#components/usage/in-words.tsx";
import { type Month, MonthCard } from "#components/usage/month-card.tsx";
import { QuotaNotice } from "#components/usage/quota-notice.tsx";
import { LONG_NAME } from "./extreme-values.ts";
import { Section } from "./section.tsx";

const NOW = new Date("2026-03-27T14:32:07.000Z");

const PAYMENT: Payment = {
  ...{ isConfigured: true, isFromCheckout: false, paidPlan: "indie", env: "live" },
  ...{ checkoutAction: "#checkout", portalAction: "#portal", checkHref: "#check" },
};

const FREE: Subscription = { plan: "free", status: "none", currentPeriodEnd: null, manageable: false };
const PAID: Subscription = {
  ...{ plan: "indie", status: "active", currentPeriodEnd: "2026-04-27T00:00:00.000Z", manageable: true },
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
  ...{ env: "live", scheduled: 1_412, limit: 2_000, graceLimit: 2_200, projected: 1_645 },
  ...{ endsAt: new Date("2026-04-01T00:00:00.000Z"), now: NOW },
};

const SESSION = { createdAt: "2026-03-20T14:32:07.000Z", lastUsedAt: "2026-03-27T12:00:00.000Z" };

/** Payment and usage in every state, and sessions. */
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
            ...{ scheduled: 1_234_567_890, limit: 2_000_000_000, graceLimit: 2_200_000_000, projected: 9_876_543_210 },
          }}
        />
        <InWords month={{ ...MONTH, scheduled: 0, limit: 0, graceLimit: 0, projected: null }} plan="Free" />
        <Sessions
          sessions={[
            {
              ...{ id: "1", ...SESSION, current: true },
              userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            },
            { id: "2", ...SESSION, current: false, userAgent: LONG_NAME.repeat(3) },
            { id: "3", ...SESSION, current: false, userAgent: null },
          ]}
          endOthersAction="#sign-out"
          haveEnded
          now={NOW}
          zone="UTC"
        />
      </Section>
    </>
  );
}
