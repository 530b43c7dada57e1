import { Wordmark } from "#components/layout/mark.tsx";
import { MissingCard } from "#components/layout/missing-card.tsx";
import { MAIN_ID } from "#components/layout/skip-link.tsx";
import { ButtonLink } from "#components/ui/button.tsx";

export const metadata = { title: "Not found" };

/** The answer to a path without a page. It has no frame, because Next.js sends it twice along with every page. */
export default function NotFound() {
  return (
    <main id={MAIN_ID} className="grid min-h-dvh content-center justify-items-center gap-6 px-4 py-12">
      <Wordmark />
      <MissingCard title="Nothing is here" actions={<ButtonLink href="/">Start again</ButtonLink>}>
        <p>There is no page at this address. It may be mistyped, or its subject was deleted.</p>
      </MissingCard>
    </main>
  );
}
