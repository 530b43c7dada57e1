/** Reasons why a sign-in failed, as in `/login?error=<code>`. */
export const SIGN_IN_FAILURES = [
  "link_invalid",
  "provider_refused",
  "email_unverified",
  "signup_closed",
  "account_deactivated",
  "mail_failed",
  "too_many_requests",
  "unavailable",
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
