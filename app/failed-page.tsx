import type { ReactNode } from "react";
import { logPageError } from "#server/http/log-page-error.ts";
import { answerPageWith, isAnswerToForm, knowsAnswer } from "#server/http/page-answer.ts";
import { PAGE_REQUEST_ID_HEADER } from "#server/http/response-headers.ts";
import { FailedCard, type Failure, readFailure } from "./failed-card.tsx";
import { pageRequestId } from "./page-request.ts";

/** Puts the content of a page that failed, or is not there, into the frame of those who asked for it. */
export type IntoFrame = (content: ReactNode) => Promise<ReactNode>;

/**
 * The page in place of the one at `address`, which failed with `error`. Sets the error's status, and logs the error
 * under the request id that the page shows. Where the answer is not known, it throws `error`: Next.js logs it and sends 500.
 */
export async function failedPage(error: unknown, address: string, intoFrame: IntoFrame) {
  if (!knowsAnswer()) throw error;
  const requestId = await pageRequestId();
  logPageError(error, {
    path: address,
    method: isAnswerToForm() ? "POST" : "GET",
    headers: { [PAGE_REQUEST_ID_HEADER]: requestId },
  });
  return showFailure(readFailure(error), address, intoFrame);
}

/** The error page for `address` after one of its components threw. Sets status 500. Next.js has logged the error. */
export function brokenPage(address: string, intoFrame: IntoFrame) {
  return showFailure(readFailure(undefined), address, intoFrame);
}

async function showFailure({ status, text, retryAfterS }: Failure, address: string, intoFrame: IntoFrame) {
  const isForm = isAnswerToForm();
  answerPageWith(status, retryAfterS);
  return intoFrame(
    <>
      <title>Not loaded · Stopwatch</title>
      <FailedCard text={text} requestId={await pageRequestId()} address={isForm ? undefined : address} />
    </>,
  );
}
