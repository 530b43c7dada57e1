import type { Db } from "#db/orm.ts";
import type { Mail } from "#mail/mail.ts";

/** One call of next-auth: what it is for, and what becomes known while it runs. */
export type Attempt = {
  step: "ask for a link" | "use a link" | "go to a provider" | "come back from a provider" | "sign out";
  userAgent: string | null;
  /** The transaction that all of it is done in, where that is one. */
  transaction?: Db;
  /** Makes the mail with a link; it is sent before the call returns. */
  mail?: (link: { to: string; token: string; expiresAt: Date }) => Mail;
  /** Whether an account goes by the identity that a provider told. */
  isKnownIdentity?: boolean;
  /** What a provider said of the person, once it can be stored. */
  profile?: { name: string | null; avatarUrl: string | null };
  /** The token of the session that was started. */
  sessionToken?: string;
};
