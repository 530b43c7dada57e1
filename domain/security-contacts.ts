import { parseTypedEmailAddress } from "./email-address.ts";

/**
 * The URIs of contacts for reports of vulnerabilities, from e-mail addresses and `https://` pages with commas between them;
 * null when one is neither. Source: RFC 9116, section 2.5.3.
 */
export function parseSecurityContacts(text: string): string[] | null {
  const uris = text.split(",").map((contact) => {
    const email = parseTypedEmailAddress(contact);
    if (email !== null) return `mailto:${email}`;
    const page = contact.trim();
    return /^https:\/\/[!-~]+$/.test(page) && URL.canParse(page) ? page : null;
  });
  return uris.every((uri) => uri !== null) ? uris : null;
}
