import { createElement as h } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { type Payment, PaymentState, type Subscription } from "#components/account/payment-state.tsx";

const FREE: Subscription = { plan: "free", status: "none", currentPeriodEnd: null, manageable: false };
const PAID: Subscription = {
  plan: "indie",
  status: "active",
  currentPeriodEnd: "2026-04-01T12:00:00.000Z",
  manageable: true,
};
const PAYMENT: Payment = {
  isConfigured: true,
  isFromCheckout: false,
  paidPlan: "indie",
  env: "live",
  checkHref: "/account?checkout=done",
  checkoutAction: "/account/checkout",
  portalAction: "/account/portal",
};

function words(subscription: Subscription, payment: Partial<Payment> = {}) {
  const element = h(PaymentState, { subscription, payment: { ...PAYMENT, ...payment } });
  return renderToStaticMarkup(element)
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");
}

describe("the billing of the account page", () => {
  it("is hidden with a sentence where billing is not configured", () => {
    const text = words(FREE, { isConfigured: false });
    expect(text).toContain("Billing is not set up on this server: its operator sets the plans.");
    expect(text).not.toContain("Upgrade");
  });

  it("offers the upgrade on the free plan alone", () => {
    expect(words(FREE)).toContain("Upgrade to Indie");
    expect(words(PAID)).not.toContain("Upgrade");
    expect(words({ ...FREE, plan: "indie" })).toMatch(/granted by the operator(?!.*Upgrade)/);
    expect(words({ ...PAID, plan: "free", status: "canceled" })).toMatch(/Manage billing.*Upgrade to Indie/);
  });

  it("says that a payment is not confirmed yet, and offers no second one", () => {
    const text = words(FREE, { isFromCheckout: true });
    expect(text).toContain("The payment is not confirmed yet.");
    expect(text).not.toContain("Upgrade");
    expect(words(PAID, { isFromCheckout: true })).not.toContain("not confirmed");
  });

  it.each([
    ["active", "You pay for Indie. It renews on 1 April 2026"],
    ["past_due", "The last payment failed. Indie stays until 1 April 2026"],
    ["canceled", "Cancelled. Indie stays until 1 April 2026"],
  ] as const)("says what happens next when the subscription is %s", (status, sentence) => {
    expect(words({ ...PAID, status })).toContain(sentence);
    expect(words({ ...PAID, status })).toContain("Manage billing");
  });
});
