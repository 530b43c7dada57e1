/** One e-mail, ready to be sent. `text` says the same as `html`. */
export type Mail = {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Further header fields, such as List-Unsubscribe. */
  headers?: Record<string, string>;
  /** Of mails with the same key the provider sends one, for 24 hours. At most 256 characters. */
  idempotencyKey?: string;
};

export type Mailer = {
  /** Resolves once the provider has taken the mail (or it is in the mailbox folder). Throws a MailNotSent otherwise. */
  send(mail: Mail): Promise<void>;
};

/**
 * The provider has not said that it took the mail. The message says what happened, without the addressee, the content
 * or the API key.
 */
export class MailNotSent extends Error {
  override readonly name = "MailNotSent";
  /** The provider may have taken it all the same: no answer came, or none that says. */
  readonly inDoubt: boolean;
  /** How long the provider wants to be left alone, ms. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { inDoubt, retryAfterMs }: { inDoubt: boolean; retryAfterMs?: number | undefined }) {
    super(message);
    this.inDoubt = inDoubt;
    this.retryAfterMs = retryAfterMs;
  }
}
