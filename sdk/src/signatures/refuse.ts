import { type SignatureProblem, StopwatchError } from "../error.ts";

/** The error for a delivery that is not taken. With `path`, the name of an argument that cannot be used: INVALID_ARGUMENT. */
export function refuse(message: string, reason?: SignatureProblem, path?: string): never {
  throw new StopwatchError(path ? "INVALID_ARGUMENT" : "INVALID_SIGNATURE", message, {
    reason,
    details: path === undefined ? path : [{ path, message }],
  });
}
