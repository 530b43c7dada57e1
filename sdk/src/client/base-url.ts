import { readEnvironment } from "../development.ts";
import { INSTALLATION_URL } from "../installation.ts";
import { orInvalid } from "./invalid.ts";

/** The address of the installation, without a slash at its end. Throws INVALID_ARGUMENT without one. */
export function findBaseUrl(given: string | URL | undefined): string {
  const text = given ?? (readEnvironment("STOPWATCH_URL") || INSTALLATION_URL);
  return orInvalid(
    "baseUrl",
    'or STOPWATCH_URL must be an address such as "https://stopwatch.example.com", without /v1',
    () => {
      // Without query, fragment and user, and without the /v1 that every call adds.
      const [, address] = /^(https?:\/\/[^?#@]*[^/?#@])(?<!\/v1)\/*$/.exec(new URL(text as string).href) as string[];
      return address as string;
    },
  );
}
