import { ButtonLink } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { EmptyState } from "../ui/empty-state.tsx";

/** Shown in place of the list to an account that never had a key. */
export function KeysEmpty({ newHref }: { newHref: string }) {
  return (
    <Card>
      <EmptyState
        title="No keys yet"
        art="first"
        actions={
          <ButtonLink kind="primary" href={newHref}>
            New key
          </ButtonLink>
        }
      >
        <p>Your program sends a key with each API request. Its value is shown once, when you create it.</p>
      </EmptyState>
    </Card>
  );
}
