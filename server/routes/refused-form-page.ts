import type { AppError, ErrorCode } from "#domain/errors.ts";
import { type Html, html } from "#mail/html.ts";
import { plainPage } from "../http/plain-page.ts";
import type { Reply } from "../http/reply.ts";
import { readNonce } from "../http/response-headers.ts";

/**
 * The answer to a form that was refused before its verb ran: a page with the status and headers of `error`, its sentence, and
 * a button that sends the same `fields` again, so that nothing typed is lost. `fields` is null when the body was not read.
 */
export function refusedFormPage(
  { url, headers }: Pick<Request, "url" | "headers">,
  error: AppError,
  fields: URLSearchParams | null,
): Reply {
  const nonce = readNonce(headers.get("content-security-policy"));
  const form = fields === null ? undefined : sendAgain(new URL(url).pathname, fields);
  const text = `Nothing was changed. ${error.publicMessage}`;
  const page = plainPage(TITLES[error.code] ?? "The form was not accepted", text, { form, nonce });
  return {
    status: error.status,
    text: { type: "text/html; charset=utf-8", content: page.html },
    // The policy that the HTTP guard has set already takes precedence over this one.
    headers: { "Content-Security-Policy": page.policy, ...error.headers },
    cookies: error.cookies,
  };
}

const TITLES: Partial<Record<ErrorCode, string>> = {
  RATE_LIMITED: "Too many requests",
  PAYLOAD_TOO_LARGE: "The form is too large",
};

function sendAgain(action: string, fields: URLSearchParams): Html {
  const inputs = [...fields].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`);
  return html`<form method="post" action="${action}">\n${inputs}<button>Send it again</button>\n</form>`;
}
