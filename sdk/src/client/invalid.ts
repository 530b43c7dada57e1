import { type SignatureProblem, StopwatchError } from "../error.ts";

/** INVALID_ARGUMENT: names the field, and what is wrong with it. Nothing was sent. */
export function invalid(path: string, problem: string, reason?: SignatureProblem): StopwatchError {
  const message = `${path} ${problem}`;
  return new StopwatchError("INVALID_ARGUMENT", message, { details: [{ path, message }], reason });
}

/** Throws INVALID_ARGUMENT unless each value is a number from `least` on. */
export function checkNumbers(values: { [name: string]: unknown }, least = 0): void {
  for (const [name, value] of Object.entries(values))
    if (!(typeof value === "number" && value >= least)) throw invalid(name, `must be ${least} or more`);
}

/** Throws INVALID_ARGUMENT for a name that is not in `known`, with the one that is meant: `baseURL`, `timeout`. */
export function checkNames(given: object, known: string): void {
  const names = known.split(" ");
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    const near = names.find((one) => one.toLowerCase().includes(name.toLowerCase().slice(0, 7)));
    throw invalid(name, `is no option: ${near ?? names.join(" or ")} is`);
  }
}

/** Returns what `make` returns. Replaces an error of `make`, which may quote a value, by INVALID_ARGUMENT. */
export function orInvalid<T>(path: string, problem: string, make: () => T): T {
  try {
    return make();
  } catch {
    throw invalid(path, problem);
  }
}
