/** Why a sign-in came to nothing: what `/login?error=` says, for people. */
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

/** A sign-in that comes to nothing for a reason that its person is told. */
export class SignInFailure extends Error {
  override readonly name = "SignInFailure";
  readonly code: SignInFailureCode;

  constructor(code: SignInFailureCode, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}
