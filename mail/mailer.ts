import type { Config } from "#config.ts";
import type { Mailer } from "./mail.ts";
import { createMailbox } from "./mailbox.ts";
import { createResendMailer } from "./resend-mailer.ts";

/**
 * Sends e-mails by Resend if RESEND_API_KEY is set; otherwise writes them to the mailbox folder and reports each to
 * `onWritten` as one line for the terminal or the log.
 */
export function createMailer(settings: Config["mail"], { onWritten }: { onWritten: (line: string) => void }): Mailer {
  const { from, resendApiKey: apiKey, resendBaseUrl: baseUrl, mailboxDir } = settings;
  if (!apiKey) return createMailbox({ folder: mailboxDir, from, onWritten });
  return createResendMailer({ apiKey, baseUrl, from });
}
