/**
 * Texts of the sign-in page by the code in `?error=`. `mayTry`: trying again can help, so the form is shown, with `send` as
 * the label of its button.
 */
const FAILURES = {
  link_invalid: {
    title: "That link is no longer valid.",
    text: "Links work once and for 15 minutes. Request a new one.",
    mayTry: true,
    send: "Send a new link",
  },
  provider_refused: {
    title: "The provider did not sign you in.",
    text: "You may have cancelled there, or it did not answer. Try again, or send a link.",
    mayTry: true,
  },
  email_unverified: {
    title: "That e-mail address is not verified.",
    text: "The provider does not confirm it. Verify it there, or send a link to it.",
    mayTry: true,
  },
  link_needed: {
    title: "Sign in with a link first.",
    text: "That address has an account, or belongs to an administrator. Send a link to it, then link the provider on the account page.",
    mayTry: true,
  },
  identity_taken: {
    title: "That identity opens another account.",
    text: "Sign in with it and remove it there first, or choose another one.",
    mayTry: true,
  },
  signup_closed: {
    title: "No account has this address.",
    text: "This installation takes no new accounts. Ask its operator, or sign in with another address.",
    mayTry: true,
  },
  too_many_identities: {
    title: "That account has no room for another identity.",
    text: "Sign in with a link, and remove an identity on the account page first.",
    mayTry: true,
  },
  account_deactivated: {
    title: "This account is deactivated.",
    text: "Its schedules wait, and nothing is lost. Ask the operator of this installation.",
    mayTry: false,
  },
  mail_failed: {
    title: "The mail could not be sent.",
    text: "The mail service did not accept it. Try again in a minute.",
    mayTry: true,
    send: "Send the link again",
  },
  too_many_requests: {
    title: "Too many links were requested.",
    text: "Use the latest one, or wait a few minutes.",
    mayTry: true,
  },
  unavailable: {
    title: "Signing in does not work right now.",
    text: "The service could not look up the account. Deliveries are not affected by this page. Try again in a minute.",
    mayTry: true,
  },
  signed_out: {
    title: "You were signed out.",
    text: "What you sent was not saved. Sign in to return to the page, and send it again.",
    mayTry: true,
  },
} as const satisfies Record<string, SignInFailure>;

export type SignInFailureCode = keyof typeof FAILURES;

export type SignInFailure = { title: string; text: string; mayTry: boolean; send?: string };

export const SIGN_IN_FAILURE_CODES = Object.keys(FAILURES) as SignInFailureCode[];

/** The text for `code`; an unknown code gets the text of "unavailable". */
export function signInFailure(code: string): SignInFailure {
  return Object.hasOwn(FAILURES, code) ? FAILURES[code as SignInFailureCode] : FAILURES.unavailable;
}
