import { type ErrorResponse, Resend } from "resend";
import { type Mail, type Mailer, MailNotSent } from "./mail.ts";

const DEADLINE_MS = 10_000;
const RETRY_AFTER_MS_MAX = 3_600_000;
/**
 * Resend's errors about idempotency keys: the first means that a mail with the key was accepted, the second that one is
 * being sent.
 */
const TAKEN_BEFORE = "invalid_idempotent_request";
const BEING_TAKEN = "concurrent_idempotent_requests";

const TOO_MANY_REQUESTS = 429;

type Settings = { apiKey: string; baseUrl?: string | undefined; from: string; deadlineMs?: number };

/** Sends mails by the Resend API with a timeout of `deadlineMs` (10 s). `baseUrl` overrides the API's base URL. */
export function createResendMailer({ apiKey, baseUrl, from, deadlineMs = DEADLINE_MS }: Settings): Mailer {
  const resend = new Resend(apiKey, baseUrl ? { baseUrl } : {});
  return {
    async send({ to, subject, text, html, headers = {}, idempotencyKey }: Mail) {
      const options = { signal: AbortSignal.timeout(deadlineMs), ...(idempotencyKey ? { idempotencyKey } : {}) };
      const answer = await resend.emails.send({ from, to, subject, text, html, headers }, options);
      if (answer.data?.id || answer.error?.name === TAKEN_BEFORE) return;
      throw notSent(answer.error, answer.headers ?? {});
    },
  };
}

function notSent(error: ErrorResponse | null, headers: Record<string, string>): MailNotSent {
  if (!error?.statusCode) return new MailNotSent("the mail provider sent no readable response", { inDoubt: true });
  const { statusCode: status, name } = error;
  const retryAfterMs = retryAfter(headers["retry-after"]);
  const inDoubt = status >= 500 || name === BEING_TAKEN;
  return new MailNotSent(`the mail provider answered ${status} (${name}): ${redacted(error)}`, {
    inDoubt,
    retryAfterMs,
    isBusy: status === TOO_MANY_REQUESTS,
  });
}

/** The provider's error message, with e-mail addresses and API keys redacted. */
function redacted({ message }: ErrorResponse): string {
  return String(message)
    .replace(/[^\s<>"'(),;:]+@/g, "…@")
    .replace(/\bre_\w+/g, "re_…")
    .slice(0, 200);
}

function retryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), RETRY_AFTER_MS_MAX) : undefined;
}
