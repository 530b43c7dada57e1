import { button, layOut, type Part, smallPrint } from "./layout.ts";
import type { Mail } from "./mail.ts";

/** The recipient of a notice, with the unsubscribe links. */
export type Reader = {
  /** UUID of the notice; the mail's idempotency key. */
  id: string;
  to: string;
  /** The address of the dashboard, without a slash at its end. */
  baseUrl: string;
  /** The page that asks for confirmation before it turns notices off. */
  unsubscribeUrl: string;
  /** The URL of one-click unsubscribe by POST (RFC 8058). */
  oneClickUrl: string;
};

/**
 * Composes a notice: a mail with a button to the page that helps, and an unsubscribe link in its last line and in the
 * `List-Unsubscribe` headers.
 */
export function noticeMail(
  reader: Reader,
  notice: { subject: string; preview: string; parts: Part[]; action: { label: string; path: string }; hint: string },
): Mail {
  const { id, to, baseUrl, unsubscribeUrl, oneClickUrl } = reader;
  const { hint, action, ...content } = notice;
  const last = smallPrint(hint, { label: "Turn notices off", url: unsubscribeUrl });
  return {
    to,
    ...layOut({ ...content, parts: [...content.parts, button(action.label, `${baseUrl}${action.path}`), last] }),
    headers: { "List-Unsubscribe": `<${oneClickUrl}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
    idempotencyKey: `notice/${id}`,
  };
}
