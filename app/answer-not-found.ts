import { notFound } from "next/navigation";
import { answerPageWith, knowsAnswer } from "#server/http/page-answer.ts";

/**
 * Sets the status 404 of the page that is being rendered. Where the answer is not known it throws, so that Next.js sends
 * the status, with `not-found.tsx` in place of the page.
 */
export function answerNotFound(): void {
  if (!knowsAnswer()) notFound();
  answerPageWith(404);
}
