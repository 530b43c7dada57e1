import { layOut, type Part, smallPrint } from "./layout.ts";
import type { Mail } from "./mail.ts";

/** The recipient of a notice, with the unsubscribe links. */
export type Reader = {
  /** UUID of the notice; the mail's idempotency key. */
  id: string;
  to: string;
  /** The page that asks for confirmation before it turns notices off. */
  unsubscribeUrl: string;
  /** The URL of one-click unsubscribe by POST (RFC 8058). */
  oneClickUrl: string;
};

/** Composes a notice: a mail with an unsubscribe link in its last line and in the `List-Unsubscribe` headers. */
export function noticeMail(
  reader: Reader,
  notice: { subject: string; preview: string; parts: Part[]; hint: string },
): Mail {
  const { id, to, unsubscribeUrl, oneClickUrl } = reader;
  const { hint, ...content } = notice;
  const last = smallPrint(hint, { label: "Turn notices off", url: unsubscribeUrl });
  return {
    to,
    ...layOut({ ...content, parts: [...content.parts, last] }),
    headers: { "List-Unsubscribe": `<${oneClickUrl}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
    idempotencyKey: `notice/${id}`,
  };
}
