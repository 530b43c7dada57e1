import { TextLink } from "../ui/text-link.tsx";

/** Says how long attempts are kept. `longer` is the number of days under the other plan, 0 when there is none with more. */
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
