import { INSTALLATION_URL } from "../installation.ts";
import { invalid } from "./invalid.ts";

/** The address of the installation, without a slash at its end. Throws INVALID_ARGUMENT without one. */
export function findBaseUrl(given: string | URL | undefined): string {
  const text = given ?? (readEnvironment() || INSTALLATION_URL);
  const example = 'such as "https://stopwatch.example.com"';
  if (text === undefined) throw invalid("baseUrl", `is missing: pass it or set STOPWATCH_URL, ${example}`);
  let url: URL | undefined;
  try {
    url = new URL(text);
  } catch {
    // Not an address; said below.
  }
  if (!url || !/^https?:\/\/[^?#@]+$/.test(url.href) || /\/v1\/*$/.test(url.pathname))
    throw invalid("baseUrl", `must be the address of the installation alone, ${example}`);
  return url.href.replace(/\/+$/, "");
}

/** STOPWATCH_URL, where the runtime has an environment and lets it be read. */
function readEnvironment(): string | undefined {
  try {
    return (globalThis as { process?: { env?: { STOPWATCH_URL?: string } } }).process?.env?.STOPWATCH_URL;
  } catch {
    // Deno throws without the permission.
    return undefined;
  }
}
