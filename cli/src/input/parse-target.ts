import { UsageError } from "../errors/usage-error.ts";

/** Returns the address. Throws a UsageError that names `option` unless it is an http(s) address without credentials. */
export function parseTarget(text: string, option: string, example: string): string {
  const { protocol, username, password } = URL.canParse(text) ? new URL(text) : ({ protocol: "" } as URL);
  if (protocol !== "https:" && protocol !== "http:")
    throw new UsageError(`${option} must be an http(s) address`, example);
  if (username || password) {
    throw new UsageError(`${option} must have no credentials: send them as a header`, example);
  }
  return text;
}
