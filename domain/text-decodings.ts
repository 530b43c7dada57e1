import { constants, unzipSync } from "node:zlib";

/** What is looked for: its length at least, and whether some of it is beyond ISO 8859-1, so that UTF-16 has no zeros. */
export type Wanted = { length: number; isWide: boolean };

/**
 * What a text may mean: its decodings from JSON and other backslash escapes, HTML, percent-encoding, forms,
 * quoted-printable, base64, hexadecimal and decimal bytes, compressed bytes and charsets that were taken for another, up to
 * three encodings deep, without the text itself. Decoding is lenient: parts that are not encoded stay as they are. Work
 * is bounded: what is nearest to the text comes first, and no more than `CHARACTERS_MAX` are decoded.
 */
export function decodings(text: string, wanted: Wanted): string[] {
  const seen = new Set([text]);
  let characters = 0;
  let level = [text];
  for (let depth = 0; depth < DEPTH_MAX; depth++) {
    const next: string[] = [];
    for (const one of level) {
      const { texts, wide } = decodeEachWay(one, wanted, depth === 0);
      for (const decoded of [...texts, ...wide]) {
        if (decoded.length < wanted.length || seen.has(decoded)) continue;
        characters += decoded.length;
        if (characters > CHARACTERS_MAX) return [...seen].slice(1);
        seen.add(decoded);
        if (!wide.includes(decoded)) next.push(decoded);
      }
    }
    level = next;
  }
  return [...seen].slice(1);
}

const DEPTH_MAX = 3;
const CHARACTERS_MAX = 64 * 1024;
const UNZIPPED_MAX = 32 * 1024;

type Decoded = { texts: string[]; wide: string[] };

/** Decodings as `texts`, and readings as UTF-16, which are mostly noise and not decoded further, as `wide`. */
function decodeEachWay(text: string, wanted: Wanted, isAsReceived: boolean): Decoded {
  const bytes = [base64In(text, wanted), hexIn(text, wanted), byteNumbersIn(text, wanted)];
  if (isAsReceived) bytes.push([narrowBytes(text)]);
  const texts = [decodeBackslashes, decodeHtml, withoutTags, decodePercent, decodeForm, decodeQuotedPrintable].map(
    (it) => it(text),
  );
  return {
    texts: [...texts, ...bytes.map(utf8Of), ...(isAsReceived ? [text.normalize("NFKC"), ...wideBytesOf(text)] : [])],
    wide: wanted.isWide ? bytes.map(utf16Of) : [],
  };
}

const ESCAPES = new Map<string, string>(Object.entries({ b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" }));
// \u{1f600} \u00fc \U0001f600, bytes as \xc3\xbc or \303\274, and one character.
const BACKSLASHED =
  /\\u\{([0-9a-f]{1,6})\}|\\u([0-9a-f]{4})|\\U([0-9a-f]{8})|((?:\\x[0-9a-f]{2})+)|((?:\\[0-3][0-7]{2})+)|\\(.)/gis;

function decodeBackslashes(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(BACKSLASHED, (whole, braced, unit, long, hex, octal, escaped) => {
    if (escaped !== undefined) return ESCAPES.get(escaped) ?? escaped;
    if (hex !== undefined) return bytesText(Buffer.from(hex.replace(/\\x/gi, ""), "hex"));
    if (octal !== undefined)
      return bytesText(Buffer.from(octal.match(/\d+/g).map((it: string) => Number.parseInt(it, 8))));
    return unit === undefined ? codePoint(Number.parseInt(braced ?? long, 16), whole) : unitText(unit);
  });
}

const NAMED = new Map<string, string>(
  Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", newline: "\n" }),
);
// The entities of ISO 8859-1, from U+00A0 on (HTML 4, 24.2). `Eacute` and `eacute` differ.
const LATIN1_NAMES =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro " +
  "para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil " +
  "Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave " +
  "Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml " +
  "igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute " +
  "thorn yuml";
for (const [at, name] of LATIN1_NAMES.split(" ").entries()) NAMED.set(name, String.fromCharCode(0xa0 + at));

function decodeHtml(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+\d{0,2}));?/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return NAMED.get(name) ?? NAMED.get(name.toLowerCase()) ?? whole;
    return codePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16), whole);
  });
}

const withoutTags = (text: string) => (text.includes("<") ? text.replace(/<[^<>]*>/g, "") : text);

// Bytes as %c3%bc, and UTF-16 code units as the `escape` of JavaScript writes them, %u00fc.
function decodePercent(text: string): string {
  if (!text.includes("%")) return text;
  return text.replace(/((?:%[0-9a-f]{2})+)|%u([0-9a-f]{4})/gi, (_, bytes, unit) =>
    unit === undefined ? bytesText(Buffer.from(bytes.replaceAll("%", ""), "hex")) : unitText(unit),
  );
}

const decodeForm = (text: string) => (text.includes("+") ? decodePercent(text.replaceAll("+", " ")) : text);

function decodeQuotedPrintable(text: string): string {
  if (!text.includes("=")) return text;
  return text
    .replace(/=\r?\n/g, "")
    .replace(/(?:=[0-9a-f]{2})+/gi, (bytes) => bytesText(Buffer.from(bytes.replaceAll("=", ""), "hex")));
}

// Every run of base64 characters, at each of the four possible alignments; also where white space stands in it.
function base64In(text: string, wanted: Wanted): Buffer[] {
  const shortest = Math.floor((wanted.length * 4) / 3);
  const run = new RegExp(`[0-9a-z+/_-]{${shortest},}`, "gi");
  const runs = text.replace(/\s+/g, "").match(run) ?? [];
  return runs.flatMap((it) => [0, 1, 2, 3].map((skip) => Buffer.from(it.slice(skip), "base64")));
}

// Pairs of digits, also with a prefix or a separator each; an odd one before them shifts the pairs.
function hexIn(text: string, wanted: Wanted): Buffer[] {
  const run = new RegExp(`(?:(?:0x|\\\\x)?[0-9a-f]{2}[\\s:,-]{0,2}){${wanted.length},}[0-9a-f]?`, "gi");
  return (text.match(run) ?? []).flatMap((it) => {
    const digits = it.replace(/0x|[^0-9a-f]/gi, "");
    return [Buffer.from(digits, "hex"), Buffer.from(digits.slice(1), "hex")];
  });
}

// Bytes as languages print them: 123, 34, 99.
function byteNumbersIn(text: string, wanted: Wanted): Buffer[] {
  const run = new RegExp(`(?:\\b\\d{1,3}\\b[\\s,;]{1,3}){${wanted.length - 1},}\\d{1,3}\\b`, "g");
  return (text.match(run) ?? []).map((it) => Buffer.from((it.match(/\d+/g) ?? []).map(Number)));
}

// A text that was read by another charset than it was written in: as ISO 8859-1, or as UTF-16 of either order.
const narrowBytes = (text: string) =>
  Buffer.from(
    text.replace(/[\u0152-\u2122]/g, (it) => WINDOWS_1252.get(it) ?? it),
    "latin1",
  );

function wideBytesOf(text: string): string[] {
  const bytes = isAscii(text) ? Buffer.alloc(0) : Buffer.from(text, "utf16le");
  return [bytes.toString("utf8"), Buffer.from(bytes).swap16().toString("utf8")];
}

// The characters that `iso-8859-1` means by 0x80 to 0x9f in the Encoding Standard.
const WINDOWS_1252 = new Map(
  [...new TextDecoder("windows-1252").decode(Uint8Array.from({ length: 32 }, (_, at) => 0x80 + at))].map((it, at) => [
    it,
    String.fromCharCode(0x80 + at),
  ]),
);

/** Bytes as UTF-8, and as UTF-16 of letters whose other byte is zero; also what is compressed in them. */
const utf8Of = (parts: readonly Buffer[]) =>
  parts
    .flatMap((bytes) => [bytes.toString("utf8"), ...unzipped(bytes)])
    .join("\n")
    .replaceAll("\0", "");

// Not `toString("utf16le")`: with an odd length at an odd place, Node.js 24 writes behind the memory that it has.
const utf16Of = (parts: readonly Buffer[]) =>
  parts
    .flatMap((bytes) => [bytes, bytes.subarray(1)])
    .flatMap((bytes) => [utf16le.decode(bytes), utf16be.decode(bytes)])
    .join("\n");
const utf16le = new TextDecoder("utf-16le");
const utf16be = new TextDecoder("utf-16be");

const GZIP = Buffer.from([0x1f, 0x8b, 0x08]);

function unzipped(bytes: Buffer): string[] {
  const at = bytes.indexOf(GZIP);
  const isZlib = bytes[0] === 0x78 && bytes.length > 2 && bytes.readUInt16BE(0) % 31 === 0;
  if (at < 0 && !isZlib) return [];
  const limits = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: UNZIPPED_MAX };
  try {
    return [unzipSync(bytes.subarray(Math.max(at, 0)), limits).toString("utf8")];
  } catch {
    return [];
  }
}

/** UTF-8, or ISO 8859-1 where it is none. */
function bytesText(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return text.includes("\ufffd") ? bytes.toString("latin1") : text;
}

const isAscii = (text: string) => Buffer.byteLength(text) === text.length;
const unitText = (hex: string) => String.fromCharCode(Number.parseInt(hex, 16));
const codePoint = (code: number, whole: string) => (code <= 0x10ffff ? String.fromCodePoint(code) : whole);
