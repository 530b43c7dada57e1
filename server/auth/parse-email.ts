import { z } from "zod";

const Email = z.string().trim().toLowerCase().max(254).pipe(z.email());

/** An e-mail address as accounts have it, in small letters and without spaces around it; null when it is none. */
export function emailOf(text: string): string | null {
  const parsed = Email.safeParse(text);
  return parsed.success ? parsed.data : null;
}
