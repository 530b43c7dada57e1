import { FailureCard } from "#components/layout/failure-card.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { AppError } from "#domain/errors.ts";
import { isDatabaseAway } from "#server/http/is-database-away.ts";

/** The card of a page that did not load. `address` is where to try again; undefined where a form was sent. */
export function FailedCard({
  text,
  requestId,
  address,
}: {
  text: string;
  requestId: string | undefined;
  address: string | undefined;
}) {
  return (
    <FailureCard
      title="This page did not load"
      requestId={requestId}
      heading="h1"
      actions={
        address && (
          <ButtonLink kind="primary" href={address}>
            Try again
          </ButtonLink>
        )
      }
    >
      <p>{text}</p>
      {address === undefined && <SendAgain />}
    </FailureCard>
  );
}

/** Explains how to send the form again. For error pages that answer a form sent without scripts. */
export function SendAgain() {
  return <p>Reload this page to send again what you typed. It is scheduled once, however often you send it.</p>;
}

const WHILE_AWAY =
  "Your schedules are kept. A request that comes due meanwhile is sent late, once a dispatcher reaches the database again.";

export type Failure = { status: number; text: string; retryAfterS?: string };

/** What to say of an error, and the status of the page that says it. `retryAfterS`: seconds. */
export function readFailure(error: unknown): Failure {
  if (!(error instanceof AppError)) {
    return { status: 500, text: "Something failed on our side. Deliveries are not affected by this page." };
  }
  const { status, code, headers = {}, publicMessage } = error;
  if (code !== "UNAVAILABLE") return { status, text: publicMessage, retryAfterS: headers["Retry-After"] };
  const text = isDatabaseAway(error) ? `${publicMessage} ${WHILE_AWAY}` : publicMessage;
  return { status, text, retryAfterS: headers["Retry-After"] ?? "5" };
}
