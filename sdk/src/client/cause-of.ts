/**
 * What `fetch` threw, as a new error without its fields. A message that repeats a word of what was sent is left out:
 * a `fetch` of the caller's may put the whole request into its errors.
 */
export function causeOf(error: unknown, sent: string, depth = 0): Error | undefined {
  if (!(error instanceof Error) || depth > 3) return undefined;
  const { name, message, code, cause } = error as Error & { code?: unknown };
  const repeats = message.split(/[^\w.-]+/).some((word) => word.length > 5 && sent.includes(word));
  const copy = new Error(repeats ? "" : message, { cause: causeOf(cause, sent, depth + 1) });
  return Object.assign(copy, { name }, typeof code === "string" && { code });
}
