import { BareFrame } from "#components/layout/bare-frame.tsx";
import { MissingCard } from "#components/layout/missing-card.tsx";
import { ButtonLink } from "#components/ui/button.tsx";

export const metadata = { title: "Not found" };

/**
 * The answer to a path without a page where the status of an answer cannot be set (`answerNotFound`). It has no navigation,
 * because Next.js sends it twice along with every page.
 */
export default function NotFound() {
  return (
    <BareFrame>
      <MissingCard title="Nothing is here" actions={<ButtonLink href="/">Start again</ButtonLink>}>
        <p>There is no page at this address. It may be mistyped, or what it showed was deleted.</p>
      </MissingCard>
    </BareFrame>
  );
}
