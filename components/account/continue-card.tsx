import { ExternalLink } from "lucide";
import { ButtonLink } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { EmptyState } from "../ui/empty-state.tsx";

/**
 * The link to the billing provider. It is a plain link, since the content security policy allows no form to another host. `url` is
 * undefined when the link has expired.
 */
export function ContinueCard({
  url,
  isPortal,
  accountHref,
}: {
  url: string | undefined;
  isPortal: boolean;
  accountHref: string;
}) {
  const back = <ButtonLink href={accountHref}>Back to the account</ButtonLink>;
  if (url === undefined) {
    return (
      <Card>
        <EmptyState title="This link has expired" art={ExternalLink} actions={back}>
          <p>Start again from the account.</p>
        </EmptyState>
      </Card>
    );
  }
  return (
    <Card>
      <EmptyState
        title={isPortal ? "Ready to manage billing" : "Ready for payment"}
        art={ExternalLink}
        actions={
          <>
            <ButtonLink kind="primary" href={url} rel="noreferrer">
              {isPortal ? "Continue to the billing portal" : "Continue to payment"}
            </ButtonLink>
            {back}
          </>
        }
      >
        <p>
          You go on to <b className="wrap-anywhere font-medium text-ink">{new URL(url).host}</b>.
          {!isPortal && " The price is shown there before you pay."}
        </p>
      </EmptyState>
    </Card>
  );
}
