import { TextLink } from "../ui/text-link.tsx";

/** For how long attempts are kept; `longer` is for how many days another plan keeps them, 0 for none. */
export function RetentionNote({ days, longer, accountHref }: { days: number; longer: number; accountHref: string }) {
  return (
    <>
      Attempts are kept for {days} days. Older ones are gone.
      {longer > days && (
        <>
          {" "}
          <TextLink href={accountHref}>Indie keeps {longer}</TextLink>.
        </>
      )}
    </>
  );
}
