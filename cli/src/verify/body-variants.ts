import { jsonStyles } from "./json-styles.ts";

/** What may have happened to a body on its way to the check. */
export type BodyChange =
  | "none"
  | "trailing_newline"
  | "newline_lost"
  | "line_breaks"
  | "byte_order_mark"
  | "reserialised"
  | "empty_body"
  | "quoted"
  | "base64"
  | "latin1"
  | "extra_bytes";

/** A body as it may have been signed. `how` completes the change, such as `CRLF`. */
export type BodyVariant = { change: BodyChange; how: string; bytes: Buffer };

/**
 * A body, first as it is, then as it may have been before something changed it, the likeliest first. `contentLength` is
 * what the header says; NaN without it.
 */
export function bodyVariants(body: Buffer, contentLength = Number.NaN): BodyVariant[] {
  const variants: BodyVariant[] = [
    { change: "none", how: "", bytes: body },
    ...changedEnds(body),
    ...changedBreaks(body),
  ];
  const text = utf8Of(body);
  if (text !== null) variants.push(...changedText(text));
  if (contentLength < body.length) {
    variants.push({ change: "extra_bytes", how: "", bytes: body.subarray(0, contentLength) });
  }
  return withoutDoubles(variants);
}

const NEWLINES = ["\n", "\r\n"] as const;

function changedEnds(body: Buffer): BodyVariant[] {
  const latin1 = body.toString("latin1");
  const trimmed = latin1.replace(/(?:\r?\n)+$/, "");
  const shorter = [latin1.replace(/\r?\n$/, ""), trimmed].map((text) => ({
    change: "trailing_newline" as const,
    text,
  }));
  const longer = NEWLINES.map((newline) => ({ change: "newline_lost" as const, text: trimmed + newline }));
  return [...shorter, ...longer].map(({ change, text }) => ({ change, how: "", bytes: Buffer.from(text, "latin1") }));
}

function changedBreaks(body: Buffer): BodyVariant[] {
  const lf = body.toString("latin1").replaceAll("\r\n", "\n");
  const as = (how: string, newline: string) => ({ how, text: lf.replaceAll("\n", newline) });
  return [as("CRLF", "\r\n"), as("LF", "\n")].flatMap(({ how, text }) =>
    // Whatever rewrote the breaks may also have added or cut the last one.
    [text, text.replace(/(?:\r?\n)+$/, ""), text + (how === "CRLF" ? "\r\n" : "\n")].map(
      (one): BodyVariant => ({ change: "line_breaks", how, bytes: Buffer.from(one, "latin1") }),
    ),
  );
}

function changedText(text: string): BodyVariant[] {
  const bare = text.replace(/^\uFEFF/, "");
  const of = (change: BodyChange, value: string | Buffer, how = ""): BodyVariant => ({
    change,
    how,
    bytes: Buffer.from(value as string),
  });
  const anew = jsonStyles(bare.trim()).flatMap(({ name, text }) =>
    ["", ...NEWLINES].map((newline) =>
      of("reserialised", text + newline, newline === "" ? name : `${name}, and a newline`),
    ),
  );
  const isMark = bare !== text;
  return [
    of("byte_order_mark", isMark ? bare : `\uFEFF${text}`, isMark ? "added" : "lost"),
    ...anew,
    ...(/^\s*(?:\{\}|\[\]|null|undefined|""|\[object Object\])\s*$/.test(text) ? [of("empty_body", "")] : []),
    ...unquoted(bare.trim()).map((inner) => of("quoted", inner)),
    ...(/^[A-Za-z0-9+/]+={0,2}\s*$/.test(text) ? [of("base64", Buffer.from(text, "base64"))] : []),
    // Text that was read as Latin-1 and written as UTF-8.
    ...(/[\u0080-\u00ff]/.test(text) && !/[^\0-\u00ff]/.test(text) ? [of("latin1", Buffer.from(text, "latin1"))] : []),
  ];
}

/** The text in a JSON string, as somebody gets who writes JSON twice. */
function unquoted(text: string): string[] {
  try {
    const value: unknown = text.startsWith('"') ? JSON.parse(text) : null;
    return typeof value === "string" ? [value] : [];
  } catch {
    return [];
  }
}

/** The text of UTF-8; null when the bytes are something else. */
function utf8Of(bytes: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function withoutDoubles(variants: readonly BodyVariant[]): BodyVariant[] {
  const seen = new Set<string>();
  return variants.filter(({ bytes }) => {
    const key = bytes.toString("latin1");
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}
