import { TimedOut, type TryFailure } from "./address-race.ts";

/**
 * What says less of a target than an answer of it, such as a refusal: the later in this list, the less. The last ones are of this
 * machine.
 */
const LESS_TELLING = [
  ["TIMED_OUT", "ETIMEDOUT"],
  ["EHOSTUNREACH"],
  ["ENETUNREACH"],
  ["ENETDOWN", "EPERM", "EACCES", "EADDRNOTAVAIL", "EAFNOSUPPORT", "EINVAL"],
  ["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EAGAIN"],
];

/** Of the failures at several addresses, the error that says most of the target; of equal ones that of the first address. */
export function mostTelling(failures: readonly TryFailure[]): Error {
  const [first] = failures.toSorted((a, b) => rankOf(a.error) - rankOf(b.error));
  return first?.error ?? new TimedOut();
}

function rankOf(error: Error & { code?: string }): number {
  const code = error instanceof TimedOut ? "TIMED_OUT" : (error.code ?? "");
  return LESS_TELLING.findIndex((codes) => codes.includes(code));
}
