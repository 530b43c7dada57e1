import { type Provider, ProviderButtons } from "../sign-in/provider-links.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { Card, CardBody, CardHead } from "../ui/card.tsx";

/** Asks which provider's identity is to open the account of `email`. Each button leads to the provider. */
export function LinkIdentity({
  email,
  providers,
  accountHref,
}: {
  email: string;
  providers: readonly Provider[];
  accountHref: string;
}) {
  return (
    <Card>
      <CardHead title="Link an identity" />
      <CardBody className="grid grid-cols-1 gap-4">
        <p className="wrap-anywhere max-w-prose text-ink-soft">
          {providers.length === 0
            ? "No provider is configured here. A link that is mailed to you always signs in."
            : `Whoever signs in with the identity that you choose there opens this account, ${email}, whatever the address of that identity. You get a mail.`}
        </p>
        {providers.length > 0 && (
          <div className="max-w-96">
            <ProviderButtons providers={providers} verb="Link" />
          </div>
        )}
        <div>
          <ButtonLink href={accountHref}>Back to the account</ButtonLink>
        </div>
      </CardBody>
    </Card>
  );
}
