import { FailureCard } from "#components/layout/failure-card.tsx";
import { MissingCard } from "#components/layout/missing-card.tsx";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { LONG_NAME } from "./extreme-values.ts";
import { Section } from "./section.tsx";

/** The cards in place of a page, or of a part of it: what does not exist, and what did not load. */
export function PlaceParts() {
  return (
    <>
      <Section title="In place of what does not exist: a thing, a page, with a long title" columns>
        <MissingCard
          title="There is no such operation"
          heading="h3"
          actions={
            <>
              <ButtonLink kind="primary" href="#operations">
                All operations
              </ButtonLink>
              <ButtonLink href="#schedules">Schedules</ButtonLink>
            </>
          }
        >
          <p>It may belong to the other environment, or have ended more than 90 days ago.</p>
        </MissingCard>
        <MissingCard title="Nothing is here" heading="h3" actions={<ButtonLink href="#overview">Overview</ButtonLink>}>
          <p>There is no page at this address. It may be mistyped, or what it showed was deleted.</p>
        </MissingCard>
        <MissingCard
          title={`No such thing: ${LONG_NAME}`}
          heading="h3"
          actions={<ButtonLink href="#all">Everything that exists</ButtonLink>}
        >
          <p>{LONG_NAME.repeat(4)}</p>
        </MissingCard>
      </Section>
      <Section title="In place of what did not load: a page, the answer to a form, a part of a page" columns>
        <FailureCard
          title="This page did not load"
          requestId="req_0123456789abcdef0123456789abcdef"
          heading="h3"
          actions={
            <>
              <Button kind="primary">Try again</Button>
              <ButtonLink href="#start">Start page</ButtonLink>
            </>
          }
        >
          <p>
            The database did not answer. Your schedules are kept. A request that comes due meanwhile is sent late, once
            a dispatcher reaches the database again.
          </p>
        </FailureCard>
        <FailureCard title="This form was not taken" requestId="req_fedcba9876543210fedcba9876543210" heading="h3">
          <p>The database did not answer.</p>
          <p>Reload this page to send again what you typed. It is scheduled once, however often you send it.</p>
        </FailureCard>
        <FailureCard title="These figures did not load" heading="h3">
          <p>Something failed on our side. Deliveries are not affected by this page.</p>
        </FailureCard>
      </Section>
    </>
  );
}
