import { z } from "zod";

const Email = z.string().trim().toLowerCase().max(254).pipe(z.email());

/** Normalises an e-mail address as accounts store it: trimmed, lower case. Null when it is invalid. */
export function parseEmail(text: string): string | null {
  const parsed = Email.safeParse(text);
  return parsed.success ? parsed.data : null;
}
