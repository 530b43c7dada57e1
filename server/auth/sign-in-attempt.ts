import type { Db } from "#db/orm.ts";
import type { ProviderName } from "#domain/providers.ts";
import type { CallSource } from "#domain/security-events.ts";
import type { Mail } from "#mail/mail.ts";

/** One call of next-auth: its inputs, and results that our adapter and callbacks record during the call. */
export type SignInAttempt = {
  step: "request link" | "redeem link" | "start OAuth" | "finish OAuth";
  /** Where the person is, when the attempt may start a session. */
  source?: CallSource;
  /** The provider of an OAuth flow; a sign-in without one is by a mailed link. */
  provider?: ProviderName;
  /** The transaction to run all queries in; without it each query runs on its own. */
  transaction?: Db;
  /** Composes the mail with a magic link, which is sent before the call returns. */
  mail?: (link: { to: string; token: string; expiresAt: Date }) => Mail;
  /** For how long sending that mail is tried, ms. */
  mailPatienceMs?: number;
  /** Sends that mail, once its token is stored. */
  sendMail?: () => Promise<void>;
  /** The provider's identity. */
  identity?: { provider: ProviderName; providerAccountId: string };
  /** Whether the provider's identity is linked to an account. */
  isKnownIdentity?: boolean;
  /** Whether the provider knows who has the mailbox of the address now. */
  isVouched?: boolean;
  /** The signed-in person's session (UUID) and account, to which the provider's identity is to be linked. Starts no session. */
  linkTo?: { accountId: string; sessionId: string };
  /** The provider's profile, sanitized. */
  profile?: { name: string | null; avatarUrl: string | null };
  /** The token of the new session. */
  sessionToken?: string;
};
