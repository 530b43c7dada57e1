import type { Config } from "#config.ts";
import type { Mailer } from "./mail.ts";
import { createMailbox } from "./mailbox.ts";
import { createResendMailer } from "./resend-mailer.ts";

/**
 * What sends e-mails: Resend when there is an API key for it, otherwise the mailbox folder, of which each mail is told to
 * `onWritten` in one line for the terminal or the log.
 */
export function createMailer(settings: Config["mail"], { onWritten }: { onWritten: (line: string) => void }): Mailer {
  const { from, resendApiKey: apiKey, resendBaseUrl: baseUrl, mailboxDir } = settings;
  if (!apiKey) return createMailbox({ folder: mailboxDir, from, onWritten });
  return createResendMailer({ apiKey, baseUrl, from });
}
