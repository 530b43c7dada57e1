/** Less than the year that RFC 9116 recommends at most. */
const VALID_MS = 180 * 86_400_000;
const DAY_MS = 86_400_000;

/**
 * The content of /.well-known/security.txt (RFC 9116) for these contacts, which are URIs; null without one, since the format
 * needs one. It expires 180 days after the beginning of `now`'s day (UTC), so that it is the same for a day.
 */
export function securityTxt(contacts: readonly string[], baseUrl: string, now: Date): string | null {
  if (contacts.length === 0) return null;
  const day = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  return [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${new Date(day + VALID_MS).toISOString()}`,
    `Canonical: ${baseUrl}/.well-known/security.txt`,
    "",
  ].join("\n");
}
