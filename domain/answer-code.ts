/** The classes of status codes that answers are filtered by; `none`: no answer. */
export const CODE_CLASSES = ["2xx", "3xx", "4xx", "5xx", "none"] as const;

/** The status codes that a filter finds, both ends included; null for attempts without an answer. */
export type CodeRange = { from: number; to: number } | null;

/** Parses a status code (`503`), a class of them (`5xx`) or `none`. Undefined for any other text. */
export function parseCode(text: string): CodeRange | undefined {
  if (text === "none") return null;
  if (CODE_CLASSES.some((known) => known === text)) {
    const from = Number(text.charAt(0)) * 100;
    return { from, to: from + 99 };
  }
  return STATUS_CODE.test(text) ? { from: Number(text), to: Number(text) } : undefined;
}

const STATUS_CODE = /^[1-9]\d\d$/;
