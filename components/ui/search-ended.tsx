import { ButtonLink } from "./button.tsx";
import { EmptyState } from "./empty-state.tsx";

/** Said of a page whose search was bounded. */
export const SEARCH_ENDED = "This search has ended early, because very many had to be looked at.";

/** In place of a page whose search has ended early without a match, with the link that searches on. */
export function SearchEnded({ title, nextHref, next }: { title: string; nextHref: string; next: string }) {
  return (
    <EmptyState
      title={title}
      art="no-match"
      actions={
        <ButtonLink kind="primary" href={nextHref} rel="next">
          {next}
        </ButtonLink>
      }
    >
      <p>{SEARCH_ENDED} A narrower filter or range ends sooner.</p>
    </EmptyState>
  );
}
