import { StopwatchError } from "../error.ts";

/** INVALID_ARGUMENT: names the field, what is wrong with it and an example. Nothing was sent. */
export function invalid(path: string, problem: string): StopwatchError {
  const message = `${path} ${problem}`;
  return new StopwatchError("INVALID_ARGUMENT", message, { details: [{ path, message }] });
}

/** Throws INVALID_ARGUMENT unless `value` is undefined or a number from `least` on. */
export function checkNumber(path: string, value: unknown, least: number): void {
  if (value !== undefined && !(typeof value === "number" && value >= least))
    throw invalid(path, `must be a number from ${least} on`);
}
