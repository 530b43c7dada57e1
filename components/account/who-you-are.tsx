import { Button } from "../ui/button.tsx";
import { Card, CardBody, CardHead } from "../ui/card.tsx";

export type Profile = {
  user: { email: string; name: string | null; createdAt: string };
  subscription: { plan: string };
  isAdmin: boolean;
};

/** Whose account it is, with the button that signs out: a form, so that it needs no script. */
export function WhoYouAre({ profile, signOutAction }: { profile: Profile; signOutAction: string }) {
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
          <dd className="first-letter:uppercase">{subscription.plan}</dd>
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
