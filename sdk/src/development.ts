// It imports nothing: on-demand.ts, which must have no copy of a class, contains it too.

/** Whether STOPWATCH_DEV turns development on; undefined for a value that is refused, and for "on" in production. */
export function readDevelopment(): boolean | undefined {
  const value = readEnvironment("STOPWATCH_DEV") || "0";
  if (/^(0|false)$/.test(value)) return false;
  return (/^(1|true)$/.test(value) && readEnvironment("NODE_ENV") !== "production") || undefined;
}

/** The words after STOPWATCH_DEV where `readDevelopment` returns undefined. */
export const REFUSAL = "must be 1 or 0, and 0 where NODE_ENV is production";

/** A variable, where the runtime has an environment and lets it be read. */
export function readEnvironment(name: string): string | undefined {
  try {
    return (globalThis as unknown as { process: { env: { [name: string]: string } } }).process.env[name];
  } catch {
    // There is no process, or Deno does not let it read the environment.
  }
}
