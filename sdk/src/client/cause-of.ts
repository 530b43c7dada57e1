/**
 * What `fetch` threw and why, as a new error: the original may hold the request. Words of what was sent are left out of
 * its text.
 */
export function causeOf(thrown: unknown, sent: string): Error {
  const { message, cause } = Object(thrown) as { message?: unknown; cause?: { message?: unknown; code?: unknown } };
  const text = [message, cause?.message, cause?.code].filter(Boolean).join(", ");
  return new Error(text.replace(/[\w.-]{6,}/g, (word) => (sent.includes(word) ? "..." : word)));
}
