import { parseEmailAddress } from "#domain/email-address.ts";

/** The address of a person at a provider: the one that the provider vouches for, or why there is none. */
export type ProviderEmail =
  | { isProven: true; address: string }
  | { isProven: false; failure: "email_unverified" | "link_needed" };

/** Judges an address as the provider wrote it, before anything folds or normalises it. */
export function providerEmail(raw: unknown, isVerified: boolean): ProviderEmail {
  const address = typeof raw === "string" ? parseEmailAddress(raw) : null;
  if (address === null || !isVerified) return { isProven: false, failure: "email_unverified" };
  return { isProven: true, address };
}

/**
 * The address in Google's claims. Google verified an address once, when the person entered it. It only knows who has the
 * mailbox now if it runs it: addresses of gmail.com, and of organisations with Google Workspace, which `hd` says. Source:
 * https://developers.google.com/identity/gsi/web/guides/verify-google-id-token
 */
export function googleEmail({ email, email_verified, hd }: Record<string, unknown>): ProviderEmail {
  const judged = providerEmail(email, email_verified === true);
  if (!judged.isProven) return judged;
  const isKeptByGoogle = judged.address.endsWith("@gmail.com") || (typeof hd === "string" && hd !== "");
  return isKeptByGoogle ? judged : { isProven: false, failure: "link_needed" };
}
