import { setTimeout as wait } from "node:timers/promises";
import { type Mail, type Mailer, MailNotSent } from "./mail.ts";

const FIRST_PAUSE_MS = 500;

/**
 * Sends a mail, and again after each failure that may pass, such as a provider's rate limit, until it was accepted or no try is
 * left within `patienceMs`. Rejects with the last failure. The mail needs an idempotency key: a failed try may have been accepted.
 */
export async function sendPatiently(
  mailer: Mailer,
  mail: Mail & { idempotencyKey: string },
  patienceMs: number,
): Promise<void> {
  const untilMs = performance.now() + patienceMs;
  for (let n = 0; ; n++) {
    try {
      return await mailer.send(mail);
    } catch (error) {
      if (!(error instanceof MailNotSent) || !error.mayPass) throw error;
      const pauseMs = Math.max(error.retryAfterMs ?? 0, FIRST_PAUSE_MS * 2 ** n);
      if (performance.now() + pauseMs > untilMs) throw error;
      await wait(pauseMs);
    }
  }
}
