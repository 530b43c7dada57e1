import type { KeyRing } from "#domain/cipher.ts";
import { answerQuestions } from "../runtime/asked-thread.ts";
import { errorTextOf, type TextQuestion } from "./error-text.ts";

/** An error text, and how long it took, ms. */
export type TextAnswer = { text: string; tookMs: number };

answerQuestions((keyRing: KeyRing) => (questions: TextQuestion[]) => {
  return questions.map((question): TextAnswer => {
    const beganAtMs = performance.now();
    return { text: errorTextOf(question, keyRing), tookMs: performance.now() - beganAtMs };
  });
});
