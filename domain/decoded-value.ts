/**
 * What a receiver reads that parses a value as JSON or as a form, where that is more than the removal of backslashes. Without a
 * callback for each escape, which takes ten times as long: a payload may be one escape after the other.
 */
export function decodedOnce(value: string): string[] {
  const decoded = [
    ...(value.includes("\\u") ? [withoutEscapes(value)] : []),
    ...(value.includes("%") ? withoutPercent(value) : []),
  ];
  return decoded.filter((it) => it !== value);
}

const HEX = new Int8Array(0x10000).fill(-1);
for (const [digits, first] of [
  ["0123456789", 0],
  ["abcdef", 10],
  ["ABCDEF", 10],
] as const)
  for (let at = 0; at < digits.length; at++) HEX[digits.charCodeAt(at)] = first + at;

const [BACKSLASH, PERCENT, LETTER_U] = [0x5c, 0x25, 0x75] as const;
const ESCAPED = new Map(Array.from("bfnrt", (letter, at) => [letter.charCodeAt(0), "\b\f\n\r\t".charCodeAt(at)]));

/** Source: RFC 8259, 7. An escape that is none stays, without its backslash. */
function withoutEscapes(value: string): string {
  const units = new Uint16Array(value.length);
  let length = 0;
  for (let at = 0; at < value.length; at++) {
    let unit = value.charCodeAt(at);
    if (unit === BACKSLASH && at + 1 < value.length) {
      unit = value.charCodeAt(++at);
      const code = unit === LETTER_U ? hexOf(value, at + 1) : -1;
      if (code >= 0) at += 4;
      unit = code >= 0 ? code : (ESCAPED.get(unit) ?? unit);
    }
    units[length++] = unit;
  }
  return Buffer.from(units.buffer, 0, 2 * length).toString("utf16le");
}

/** The number that four hexadecimal digits are; negative when they are none. */
function hexOf(value: string, at: number): number {
  let code = 0;
  for (let place = at; place < at + 4; place++) {
    const digit = HEX[value.charCodeAt(place)] ?? -1;
    if (digit < 0) return -1;
    code = 16 * code + digit;
  }
  return code;
}

/** Source: RFC 3986, 2.1. Also as ISO 8859-1 where the bytes are no UTF-8. */
function withoutPercent(value: string): string[] {
  const bytes = Buffer.from(value);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    const high = byte === PERCENT ? (HEX[bytes[at + 1] ?? 0] as number) : -1;
    const low = high < 0 ? -1 : (HEX[bytes[at + 2] ?? 0] as number);
    if (low >= 0) at += 2;
    bytes[length++] = low < 0 ? byte : 16 * high + low;
  }
  const decoded = bytes.subarray(0, length);
  const text = decoded.toString("utf8");
  return text.includes("\ufffd") ? [text, decoded.toString("latin1")] : [text];
}
