import { PROVIDER_NAMES, type ProviderName } from "#domain/providers.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Card, CardBody, CardFoot, CardHead } from "../ui/card.tsx";
import { Notice } from "../ui/notice.tsx";
import { RelativeTime } from "../ui/time.tsx";

export type Identity = { id: string; provider: ProviderName; createdAt: string; removeHref: string };

/** The provider identities that open the account, each with a link to the page that removes it. */
export function Identities({
  identities,
  linkHref,
  did,
  now,
  zone,
}: {
  identities: readonly Identity[];
  /** The page that links one more; undefined where no provider is configured. */
  linkHref: string | undefined;
  /** Shows that an identity was linked or removed. */
  did?: "linked" | "removed" | undefined;
  now: Date;
  zone: string;
}) {
  return (
    <Card aria-labelledby="identities">
      <CardHead title="Linked identities" id="identities">
        {linkHref && (
          <ButtonLink size="small" href={linkHref}>
            Link an identity
          </ButtonLink>
        )}
      </CardHead>
      <CardBody className="grid grid-cols-1 gap-3">
        {did && (
          <Notice kind="ok" announce="status">
            The identity is {did}.
          </Notice>
        )}
        {identities.length === 0 ? (
          <p className="text-ink-soft text-sm">No Google or GitHub identity is linked.</p>
        ) : (
          <ul className="grid gap-3 text-sm">
            {identities.map(({ id, provider, createdAt, removeHref }) => (
              <li key={id} className="flex flex-wrap items-center justify-between gap-2">
                <span className="grid gap-0.5">
                  {PROVIDER_NAMES[provider]}
                  <span className="text-ink-muted text-xs">
                    linked <RelativeTime at={new Date(createdAt)} now={now} zone={zone} />
                  </span>
                </span>
                <ButtonLink size="small" href={removeHref} aria-label={`Remove ${PROVIDER_NAMES[provider]}`}>
                  Remove
                </ButtonLink>
              </li>
            ))}
          </ul>
        )}
      </CardBody>
      <CardFoot>A link that is mailed to you always signs in. You get a mail when an identity is linked.</CardFoot>
    </Card>
  );
}
