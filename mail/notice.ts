import { layOut, type Part, smallPrint } from "./layout.ts";
import type { Mail } from "./mail.ts";

/** To whom a notice goes, and how he gets rid of them. */
export type Reader = {
  /** UUID of the notice: the provider sends one mail of it. */
  id: string;
  to: string;
  /** A page that asks before it turns notices off. */
  unsubscribeUrl: string;
  /** What turns them off by a POST (RFC 8058). */
  oneClickUrl: string;
};

/** A notice as a mail: with the way out in its last line and in the header fields that mail programs make a button of. */
export function noticeMail(
  reader: Reader,
  notice: { subject: string; preview: string; parts: Part[]; hint: string },
): Mail {
  const { id, to, unsubscribeUrl, oneClickUrl } = reader;
  const { hint, ...told } = notice;
  const last = smallPrint(hint, { label: "Turn notices off", url: unsubscribeUrl });
  return {
    to,
    ...layOut({ ...told, parts: [...told.parts, last] }),
    headers: { "List-Unsubscribe": `<${oneClickUrl}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
    idempotencyKey: `notice/${id}`,
  };
}
