/**
 * A new error that tells what `fetch` threw and why; the original may hold the request. Words of the sent text are left
 * out.
 */
export function causeOf(thrown: unknown, sent: string): Error {
  const { message, cause } = Object(thrown) as { message?: unknown; cause?: { message?: unknown; code?: unknown } };
  const text = [message, cause?.message, cause?.code].filter(Boolean).join(", ");
  return new Error(text.replace(/[\w.-]{6,}/g, (word) => (sent.includes(word) ? "..." : word)));
}
