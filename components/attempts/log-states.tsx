import { ButtonLink } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";

/** In place of an empty log. */
export function LogEmpty({ retentionDays, newHref }: { retentionDays: number; newHref: string }) {
  return (
    <EmptyState
      title="Nothing was sent yet"
      art="first"
      actions={
        <ButtonLink href={newHref} kind="primary">
          New schedule
        </ButtonLink>
      }
    >
      <p>
        No attempt was made in the last {retentionDays} days. Each one stands here as soon as it has ended: when, how it
        ended, and how long the target took.
      </p>
    </EmptyState>
  );
}

/** In place of the log when nothing matches its filters. */
export function LogNoMatch({
  chips,
  outcome,
  resetHref,
}: {
  chips: readonly string[];
  outcome: string | undefined;
  resetHref: string;
}) {
  return (
    <EmptyState
      title="No attempt matches"
      art="no-match"
      actions={<ButtonLink href={resetHref}>Reset filters</ButtonLink>}
    >
      <p>
        Looked for {outcome ?? "all"} attempts{chips.length > 0 ? `: ${chips.join(", ")}` : ""}.
      </p>
    </EmptyState>
  );
}
