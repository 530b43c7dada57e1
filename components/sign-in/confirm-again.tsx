import type { ReactNode } from "react";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Card, CardBody, CardHead } from "../ui/card.tsx";
import { type Provider, ProviderLinks } from "./provider-links.tsx";

/**
 * Stands in place of a form that needs a recent sign-in: mails a link to `email`, the address of the person who is signed in,
 * or leads to a provider. Either comes back to `redirectTo`. `children` say what the sign-in is for.
 */
export function ConfirmAgain({
  email,
  action,
  redirectTo,
  providers,
  keep,
  children,
}: {
  email: string;
  action: string;
  redirectTo: string;
  providers: readonly Provider[];
  keep: { href: string; label: string };
  children: ReactNode;
}) {
  return (
    <Card>
      <CardHead title="Confirm that it is you" />
      <CardBody className="grid grid-cols-1 gap-4">
        <div className="grid max-w-prose grid-cols-1 gap-3 text-ink-soft">
          <p>You signed in more than a day ago. {children}</p>
          <p>Sign in once more, and you come back here. Nothing that you typed is lost.</p>
        </div>
        <div className="grid max-w-96 grid-cols-1 gap-3">
          <form method="post" action={action} className="grid grid-cols-1">
            <input type="hidden" name="email" value={email} />
            <input type="hidden" name="redirectTo" value={redirectTo} />
            <Button type="submit" kind="primary" size="large" className="wrap-anywhere py-1.5">
              Mail a link to {email}
            </Button>
          </form>
          <ProviderLinks providers={providers} />
        </div>
        <div>
          <ButtonLink href={keep.href}>{keep.label}</ButtonLink>
        </div>
      </CardBody>
    </Card>
  );
}
