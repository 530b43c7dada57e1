import { PROVIDER_NAMES, type ProviderName } from "#domain/providers.ts";
import { ButtonLink } from "../ui/button.tsx";

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
      <ProviderButtons providers={providers} />
    </>
  );
}

/** One button for each provider. */
export function ProviderButtons({
  providers,
  verb = "Continue with",
}: {
  providers: readonly Provider[];
  verb?: string;
}) {
  return (
    <div className="grid gap-2">
      {providers.map(({ id, href }) => (
        <ButtonLink key={id} href={href} size="large" rel="nofollow">
          <ProviderMark of={id} />
          {verb} {PROVIDER_NAMES[id]}
        </ButtonLink>
      ))}
    </div>
  );
}

/** Each provider's own mark, as its guidelines want it: Google's in its four colours, GitHub's in that of the text. */
function ProviderMark({ of }: { of: ProviderName }) {
  return (
    <svg
      className="size-4 shrink-0 fill-current"
      viewBox={of === "google" ? "0 0 48 48" : "0 0 24 24"}
      aria-hidden="true"
    >
      {MARKS[of].map(({ path, colour }) => (
        <path key={path} d={path} fill={colour} />
      ))}
    </svg>
  );
}

// Google: developers.google.com/identity/branding-guidelines. GitHub: github.com/logos.
const MARKS: Record<ProviderName, readonly { path: string; colour?: string }[]> = {
  google: [
    {
      colour: "#ea4335",
      path: "M24 9.5c3.54 0 6.71 1.22 9.21 3.6l6.85-6.85C35.9 2.38 30.47 0 24 0 14.62 0 6.51 5.38 2.56 13.22l7.98 6.19C12.43 13.72 17.74 9.5 24 9.5z",
    },
    {
      colour: "#4285f4",
      path: "M46.98 24.55c0-1.57-.15-3.09-.38-4.55H24v9.02h12.94c-.58 2.96-2.26 5.48-4.78 7.18l7.73 6c4.51-4.18 7.09-10.36 7.09-17.65z",
    },
    {
      colour: "#fbbc05",
      path: "M10.53 28.59c-.48-1.45-.76-2.99-.76-4.59s.27-3.14.76-4.59l-7.98-6.19C.92 16.46 0 20.12 0 24c0 3.88.92 7.54 2.56 10.78l7.97-6.19z",
    },
    {
      colour: "#34a853",
      path: "M24 48c6.48 0 11.93-2.13 15.89-5.81l-7.73-6c-2.15 1.45-4.92 2.3-8.16 2.3-6.26 0-11.57-4.22-13.47-9.91l-7.98 6.19C6.51 42.62 14.62 48 24 48z",
    },
  ],
  github: [
    {
      path: "M12 .297c-6.63 0-12 5.373-12 12 0 5.303 3.438 9.8 8.205 11.385.6.113.82-.258.82-.577 0-.285-.01-1.04-.015-2.04-3.338.724-4.042-1.61-4.042-1.61C4.422 18.07 3.633 17.7 3.633 17.7c-1.087-.744.084-.729.084-.729 1.205.084 1.838 1.236 1.838 1.236 1.07 1.835 2.809 1.305 3.495.998.108-.776.417-1.305.76-1.605-2.665-.3-5.466-1.332-5.466-5.93 0-1.31.465-2.38 1.235-3.22-.135-.303-.54-1.523.105-3.176 0 0 1.005-.322 3.3 1.23.96-.267 1.98-.399 3-.405 1.02.006 2.04.138 3 .405 2.28-1.552 3.285-1.23 3.285-1.23.645 1.653.24 2.873.12 3.176.765.84 1.23 1.91 1.23 3.22 0 4.61-2.805 5.625-5.475 5.92.42.36.81 1.096.81 2.22 0 1.606-.015 2.896-.015 3.286 0 .315.21.69.825.57C20.565 22.092 24 17.592 24 12.297c0-6.627-5.373-12-12-12",
    },
  ],
};
