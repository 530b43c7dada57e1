import { parseEmailAddress } from "#domain/email-address.ts";

/**
 * The verified address of a person at a provider; null when there is none. `isVouched`: whether the provider knows who has the
 * mailbox now.
 */
export type ProviderEmail = { address: string; isVouched: boolean } | null;

/**
 * The primary address of a person at GitHub, which verified it once, when the person entered it: a domain or a mailbox can have
 * another owner since.
 */
export function gitHubEmail(emails: readonly Record<string, unknown>[]): ProviderEmail {
  const primary = emails.find((one) => one?.primary === true);
  return providerEmail(primary?.email, primary?.verified === true);
}

/**
 * The address in Google's claims. Google verified an address once, when the person entered it. It only knows who has the
 * mailbox now if it runs it: addresses of gmail.com, and of organisations with Google Workspace, which `hd` says. Source:
 * https://developers.google.com/identity/gsi/web/guides/verify-google-id-token
 */
export function googleEmail({ email, email_verified, hd }: Record<string, unknown>): ProviderEmail {
  const judged = providerEmail(email, email_verified === true);
  if (judged === null) return null;
  const isVouched = judged.address.endsWith("@gmail.com") || (typeof hd === "string" && hd !== "");
  return { ...judged, isVouched };
}

/** Judges an address as the provider wrote it, before anything folds or normalises it. */
function providerEmail(raw: unknown, isVerified: boolean): ProviderEmail {
  const address = typeof raw === "string" ? parseEmailAddress(raw) : null;
  return address === null || !isVerified ? null : { address, isVouched: false };
}
