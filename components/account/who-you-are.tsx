import { Button } from "../ui/button.tsx";
import { Card, CardBody, CardHead } from "../ui/card.tsx";

export type Profile = {
  user: { email: string; name: string | null; createdAt: string };
  subscription: {
    plan: string;
    status: "none" | "active" | "past_due" | "canceled";
    /** When the subscription renews, or the account loses its plan. */
    currentPeriodEnd: string | null;
  };
  isAdmin: boolean;
};

/**
 * The owner and plan of the account, with the sign-out button, a form that works without scripts. `hasBilling`: billing is
 * configured.
 */
export function WhoYouAre({
  profile,
  hasBilling,
  signOutAction,
}: {
  profile: Profile;
  hasBilling: boolean;
  signOutAction: string;
}) {
  const { user, subscription, isAdmin } = profile;
  return (
    <Card aria-labelledby="who">
      <CardHead title="You" id="who">
        <form action={signOutAction} method="post">
          <Button type="submit" size="small">
            Sign out
          </Button>
        </form>
      </CardHead>
      <CardBody>
        <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 text-sm">
          <dt className="text-ink-muted">E-mail</dt>
          <dd className="wrap-anywhere">{user.email}</dd>
          {user.name !== null && (
            <>
              <dt className="text-ink-muted">Name</dt>
              <dd className="wrap-anywhere">{user.name}</dd>
            </>
          )}
          <dt className="text-ink-muted">Plan</dt>
          <dd>
            <span className="inline-block first-letter:uppercase">{subscription.plan}</span>
            <span className="block text-ink-muted text-xs">{aboutPlan(subscription, hasBilling)}</span>
          </dd>
          <dt className="text-ink-muted">Since</dt>
          <dd>
            <time dateTime={user.createdAt}>{user.createdAt.slice(0, 10)}</time>
          </dd>
          {isAdmin && (
            <>
              <dt className="text-ink-muted">Role</dt>
              <dd>Operator</dd>
            </>
          )}
        </dl>
      </CardBody>
    </Card>
  );
}

function aboutPlan({ status, currentPeriodEnd }: Profile["subscription"], hasBilling: boolean): string | null {
  const day = currentPeriodEnd?.slice(0, 10);
  if (status === "active") return day ? `Paid, renews on ${day}` : "Paid";
  if (status === "past_due")
    return day ? `The last payment failed: the plan stays until ${day}` : "The last payment failed";
  if (status === "canceled" && day) return `Cancelled, stays until ${day}`;
  return hasBilling ? null : "Billing is not set up on this server: its operator sets plans by hand";
}
