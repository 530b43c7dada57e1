import { GitBranch } from "lucide";
import { PROVIDER_NAMES, type ProviderName } from "#domain/providers.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";

/** An enabled OAuth provider; `href` starts the sign-in. */
export type Provider = { id: ProviderName; href: string };

/** Links to the enabled providers, if any. Plain links, since next/link would prefetch them. */
export function ProviderLinks({ providers }: { providers: readonly Provider[] }) {
  if (providers.length === 0) return null;
  return (
    <>
      <div className="flex items-center gap-2 text-ink-muted text-xs">
        <hr className="flex-1 border-line" />
        or
        <hr className="flex-1 border-line" />
      </div>
      <div className="grid gap-2">
        {providers.map(({ id, href }) => (
          <ButtonLink key={id} href={href} size="large" rel="nofollow">
            {id === "google" ? <GoogleSign /> : <Icon of={GitBranch} />}
            Continue with {PROVIDER_NAMES[id]}
          </ButtonLink>
        ))}
      </div>
    </>
  );
}

function GoogleSign() {
  return (
    <svg className="size-4 shrink-0 fill-none stroke-[2.2] stroke-current" viewBox="0 0 24 24" aria-hidden="true">
      <path strokeLinecap="round" d="M20.3 12.2H12.4M20.3 12.2A8.3 8.3 0 1 1 17.9 6.1" />
    </svg>
  );
}
