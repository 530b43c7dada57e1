import { REFUSAL, readDevelopment } from "../development.ts";
import { invalid } from "./invalid.ts";

/** Whether STOPWATCH_DEV turns development on. Throws INVALID_ARGUMENT for another value, and for "on" in production. */
export function isDevelopment(): boolean {
  const isOn = readDevelopment();
  if (isOn === undefined) throw invalid("STOPWATCH_DEV", REFUSAL);
  return isOn;
}
