import { type SignatureProblem, StopwatchError } from "../error.ts";

/** The error for a delivery that is not taken. */
export function refuse(message: string, reason: SignatureProblem): never {
  throw new StopwatchError("INVALID_SIGNATURE", message, { reason });
}
