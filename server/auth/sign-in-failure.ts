/** Why the sign-in page is shown, as in `/login?error=<code>`: how a sign-in failed, or that a form came without a session. */
export const SIGN_IN_FAILURES = [
  "link_invalid",
  "provider_refused",
  "email_unverified",
  "link_needed",
  "signup_closed",
  "identity_taken",
  "too_many_identities",
  "account_deactivated",
  "mail_failed",
  "too_many_requests",
  "unavailable",
  "signed_out",
] as const;

export type SignInFailureCode = (typeof SIGN_IN_FAILURES)[number];

/** A failed sign-in whose reason is shown to the person. */
export class SignInFailure extends Error {
  override readonly name = "SignInFailure";
  readonly code: SignInFailureCode;

  constructor(code: SignInFailureCode, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}
