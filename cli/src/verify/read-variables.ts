import type { KnownSecret } from "./known-secrets.ts";

/**
 * The receiver's secrets among variables: those named `STOPWATCH_SECRET…`, and any other that has the form of Stopwatch's (32
 * bytes; secrets of Stripe and others begin with `whsec_`, too, and are shorter). An ending `_NEXT` or `_FORMER` says what it is.
 */
export function secretsOfVariables(variables: { readonly [name: string]: string | undefined }): KnownSecret[] {
  return Object.entries(variables).flatMap(([name, value = ""]): KnownSecret[] => {
    if (!/^STOPWATCH_SECRET(?:_[A-Z]+)?$/.test(name) && !/^\s*["']?whsec_[A-Za-z0-9+/]{43}=/.test(value)) return [];
    const role = name.endsWith("_NEXT") ? "next" : name.endsWith("_FORMER") ? "former" : null;
    return [{ name, value, env: null, role, isReceivers: true }];
  });
}
