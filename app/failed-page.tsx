import { FailureCard } from "#components/layout/failure-card.tsx";
import { NarrowFrame } from "#components/layout/narrow-frame.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { AppError } from "#domain/errors.ts";
import { answerPageWith, isAnswerToForm, knowsAnswer } from "#server/edge/page-answer.ts";
import { PAGE_REQUEST_ID_HEADER } from "#server/edge/response-headers.ts";
import { logPageError } from "#server/http/log-page-error.ts";
import { chosenTheme, pageRequestId } from "./page-request.ts";

/**
 * The page in place of the one at `address`, which failed with `error`. Sets the error's status, and logs the error
 * under the request id that the page shows. Where the answer is not known, it throws `error`: Next.js logs it and sends 500.
 */
export async function failedPage(error: unknown, address: string) {
  if (!knowsAnswer()) throw error;
  const requestId = await pageRequestId();
  logPageError(error, {
    path: address,
    method: isAnswerToForm() ? "POST" : "GET",
    headers: { [PAGE_REQUEST_ID_HEADER]: requestId },
  });
  return showFailure(readFailure(error), address);
}

/** The error page for `address` after one of its components threw. Sets status 500. Next.js has logged the error. */
export function brokenPage(address: string) {
  return showFailure(readFailure(undefined), address);
}

async function showFailure({ status, text, retryAfterS }: Failure, address: string) {
  const isForm = isAnswerToForm();
  answerPageWith(status, retryAfterS);
  return (
    <NarrowFrame theme={await chosenTheme()}>
      <title>Not loaded · Stopwatch</title>
      <FailureCard
        title="This page did not load"
        requestId={await pageRequestId()}
        heading="h1"
        actions={
          isForm ? undefined : (
            <ButtonLink kind="primary" href={address}>
              Try again
            </ButtonLink>
          )
        }
      >
        <p>{text}</p>
        {isForm && <SendAgain />}
      </FailureCard>
    </NarrowFrame>
  );
}

/** Explains how to send the form again. For error pages that answer a form sent without scripts. */
export function SendAgain() {
  return <p>Reload this page to send again what you typed. It is stored once, however often it is sent.</p>;
}

type Failure = { status: number; text: string; retryAfterS?: string };

function readFailure(error: unknown): Failure {
  if (!(error instanceof AppError)) {
    return { status: 500, text: "Something failed on our side. Deliveries are not affected by this page." };
  }
  const { status, code, headers = {}, publicMessage } = error;
  if (code !== "UNAVAILABLE") return { status, text: publicMessage, retryAfterS: headers["Retry-After"] };
  const text = `${publicMessage} Schedules that are stored are kept, and are delivered by the dispatcher.`;
  return { status, text, retryAfterS: headers["Retry-After"] ?? "5" };
}
