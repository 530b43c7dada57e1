import type { ReactNode } from "react";
import type { PlanName } from "#domain/plans.ts";
import type { SubscriptionStatus } from "#domain/subscription.ts";
import { formatDay } from "../format/instant.ts";
import { nameOf } from "../plans/plan-table.tsx";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";

export type Subscription = {
  plan: PlanName;
  status: SubscriptionStatus;
  /** When the subscription renews, or the account loses its plan. */
  currentPeriodEnd: string | null;
  /** Whether a billing portal exists for the account. */
  manageable: boolean;
};

export type Payment = {
  /** Billing is configured on this server. */
  isConfigured: boolean;
  /** Whether the owner has just returned from the checkout. */
  isFromCheckout: boolean;
  paidPlan: PlanName;
  env: string;
  checkoutAction: string;
  portalAction: string;
  /** The address of this page. */
  checkHref: string;
};

/** The state of the subscription, and the buttons to the checkout and the billing portal. */
export function PaymentState({ subscription, payment }: { subscription: Subscription; payment: Payment }) {
  const { plan, status, manageable } = subscription;
  const { isConfigured, isFromCheckout, paidPlan, env } = payment;
  const until = day(subscription.currentPeriodEnd);
  if (!isConfigured) {
    return <Line>Your plan is {nameOf(plan)}. Billing is not set up on this server: its operator sets the plans.</Line>;
  }
  const isPending = isFromCheckout && status !== "active";
  return (
    <div className="grid grid-cols-1 gap-3">
      {isPending && (
        <Notice
          kind="info"
          announce="status"
          action={
            <ButtonLink size="small" href={payment.checkHref}>
              Check again
            </ButtonLink>
          }
        >
          <b>The payment is not confirmed yet.</b> The plan changes within a minute of the payment.
        </Notice>
      )}
      {status === "past_due" && (
        <Notice kind="bad" announce="alert">
          <b>The last payment failed.</b> {nameOf(plan)} stays{until && <> until {until}</>}; see the card in the
          billing portal.
        </Notice>
      )}
      <Line>{sentence(subscription, until)}</Line>
      {manageable && (
        <PostButton action={payment.portalAction} env={env}>
          Manage billing
        </PostButton>
      )}
      {plan !== paidPlan && !isPending && status !== "active" && status !== "past_due" && (
        <>
          <PostButton action={payment.checkoutAction} env={env} isPrimary>
            Upgrade to {nameOf(paidPlan)}
          </PostButton>
          <p className="text-ink-muted text-xs">The next page leads to Stripe, which shows the price before you pay.</p>
        </>
      )}
    </div>
  );
}

function sentence({ plan, status }: Subscription, until: ReactNode): ReactNode {
  const name = nameOf(plan);
  if (status === "active")
    return until ? (
      <>
        You pay for {name}. It renews on {until}.
      </>
    ) : (
      `You pay for ${name}.`
    );
  if (status === "past_due") return `You pay for ${name}.`;
  if (status === "canceled" && until && plan !== "free")
    return (
      <>
        Cancelled. {name} stays until {until}.
      </>
    );
  return plan === "free" ? `Your plan is ${name}.` : `Your plan is ${name}, granted by the operator of this server.`;
}

function day(instant: string | null): ReactNode {
  return instant && <time dateTime={instant}>{formatDay(new Date(instant))}</time>;
}

function Line({ children }: { children: ReactNode }) {
  return <p className="text-sm">{children}</p>;
}

function PostButton({
  action,
  env,
  isPrimary = false,
  children,
}: {
  action: string;
  env: string;
  isPrimary?: boolean;
  children: ReactNode;
}) {
  return (
    <form action={action} method="post">
      <input type="hidden" name="env" value={env} />
      <Button type="submit" kind={isPrimary ? "primary" : "plain"}>
        {children}
      </Button>
    </form>
  );
}
