/**
 * A text and its JSON, HTML, percent and base64 decodings, up to two encodings deep. Decoding is lenient: parts that are
 * not encoded stay as they are.
 */
export function decodings(text: string): string[] {
  const once = decodeEachWay(text);
  const twice = once.flatMap(decodeEachWay);
  return [...new Set([text, ...once, ...twice])];
}

const DECODERS = [decodeJson, decodeHtml, decodePercent, decodeForm, decodeBase64];

function decodeEachWay(text: string): string[] {
  return DECODERS.map((decode) => decode(text)).filter((decoded) => decoded !== "" && decoded !== text);
}

const JSON_ESCAPES = new Map<string, string>(Object.entries({ b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }));

function decodeJson(text: string): string {
  return text.replace(/\\(?:u([0-9a-f]{4})|(.))/gis, (_, code: string | undefined, escaped: string) =>
    code === undefined ? (JSON_ESCAPES.get(escaped) ?? escaped) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

const HTML_ENTITIES = new Map<string, string>(
  Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" }),
);

function decodeHtml(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos|nbsp));/gi,
    (whole, hex, decimal, name) => {
      if (name !== undefined) return HTML_ENTITIES.get(name.toLowerCase()) ?? whole;
      const codePoint = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : whole;
    },
  );
}

function decodePercent(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
    Buffer.from(escapes.replaceAll("%", ""), "hex").toString("utf8"),
  );
}

function decodeForm(text: string): string {
  return text.includes("+") ? decodePercent(text.replaceAll("+", " ")) : text;
}

// Decodes every run of base64 characters at each of the four possible alignments.
function decodeBase64(text: string): string {
  const runs = text.replace(/[\r\n]+/g, "").match(/[0-9a-z+/_-]{11,}/gi) ?? [];
  return runs
    .flatMap((run) => [0, 1, 2, 3].map((skip) => Buffer.from(run.slice(skip), "base64").toString("utf8")))
    .join("\n");
}
