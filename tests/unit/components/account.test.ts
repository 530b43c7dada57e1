import { createElement as h } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { type Profile, WhoYouAre } from "#components/account/who-you-are.tsx";

const words = (subscription: Profile["subscription"], hasBilling = true) => {
  const user = { email: "ana@example.com", name: null, createdAt: "2026-03-04T00:00:00.000Z" };
  const profile = { user, subscription, isAdmin: false };
  const element = h(WhoYouAre, { profile, hasBilling, signOutAction: "/account/sign-out" });
  return renderToStaticMarkup(element).replace(/<[^>]*>/g, " ");
};
const ends = { plan: "indie", currentPeriodEnd: "2026-04-01T12:00:00.000Z" };

describe("the account page says", () => {
  it("that the plan cannot be paid for when billing is not set up", () => {
    const free = { plan: "free", status: "none", currentPeriodEnd: null } as const;
    expect(words(free, false)).toContain("Billing is not set up on this server: its operator sets plans by hand");
    expect(words(free)).not.toContain("Billing");
  });

  it.each([
    ["active", "Paid, renews on 2026-04-01"],
    ["past_due", "The last payment failed: the plan stays until 2026-04-01"],
    ["canceled", "Cancelled, stays until 2026-04-01"],
  ] as const)("what happens next when the subscription is %s", (status, said) => {
    expect(words({ ...ends, status })).toContain(said);
  });
});
