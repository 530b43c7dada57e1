import { NarrowCard } from "../layout/narrow-frame.tsx";
import { Button } from "../ui/button.tsx";
import { TextLink } from "../ui/text-link.tsx";

/** Asks for confirmation before turning notices off, since mail scanners open links. The button posts to `action`. */
export function UnsubscribeCard({ action }: { action: string }) {
  return (
    <NarrowCard title="Turn notices off?">
      <p className="-mt-2 text-ink-soft text-sm">
        No more e-mails about dead schedules and the quota. Schedules are delivered as before.
      </p>
      <form action={action} method="post" className="grid">
        <Button type="submit" kind="primary" size="large">
          Turn notices off
        </Button>
      </form>
      <p className="text-ink-muted text-xs">
        <TextLink href="/">Keep them</TextLink>
      </p>
    </NarrowCard>
  );
}

/** Says that notices are off. */
export function UnsubscribedCard() {
  return (
    <NarrowCard title="Notices are off">
      <p className="-mt-2 text-ink-soft text-sm">
        You get no more e-mails about dead schedules and the quota. <TextLink href="/account">Your account</TextLink>{" "}
        turns them on again.
      </p>
    </NarrowCard>
  );
}

/** Shown for an invalid unsubscribe link. */
export function BrokenLinkCard() {
  return (
    <NarrowCard title="This link is not complete">
      <p className="-mt-2 text-ink-soft text-sm">
        Nothing was changed. Open the link from the e-mail again, or turn notices off in{" "}
        <TextLink href="/account">your account</TextLink>.
      </p>
    </NarrowCard>
  );
}
