import { NamedError } from "#domain/named-error.ts";

/** A composed e-mail; `text` has the same content as `html`. */
export type Mail = {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Further header fields, such as List-Unsubscribe. */
  headers?: Record<string, string>;
  /** The provider sends only one mail per key within 24 hours. At most 256 characters. */
  idempotencyKey?: string;
};

export type Mailer = {
  /** Resolves once the provider has accepted the mail, or it is in the mailbox folder. Rejects with MailNotSent. */
  send(mail: Mail): Promise<void>;
};

/** The provider has not confirmed the mail. The message contains neither recipient, content nor API key. */
export class MailNotSent extends NamedError {
  override readonly name = "MailNotSent";
  /** The provider may have accepted the mail: there was no response, or an inconclusive one. */
  readonly inDoubt: boolean;
  /** The provider's `Retry-After`, ms. */
  readonly retryAfterMs: number | undefined;
  /** Whether another try may succeed: the provider is busy, or it is not known what it did. */
  readonly mayPass: boolean;

  constructor(message: string, why: { inDoubt: boolean; retryAfterMs?: number | undefined; isBusy?: boolean }) {
    const { inDoubt, retryAfterMs, isBusy = false } = why;
    super(message);
    this.inDoubt = inDoubt;
    this.mayPass = isBusy || inDoubt;
    this.retryAfterMs = retryAfterMs;
  }
}
