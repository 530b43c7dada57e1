import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanErrorText } from "#domain/clean-error-text.ts";
import type { RequestParts } from "#domain/compared-values.ts";
import { failureText, REPEATED_REQUEST } from "#domain/error-text.ts";

const nothing = { payload: null, secrets: [], headers: [] };
const sent = (payload: string) => ({ ...nothing, payload: Buffer.from(payload) });
const JSON_PAYLOAD =
  '{"card":"4242 4242 4242 4242","name":"J\u00fcrgen <O\'Neil> & \\"S\u00f6hne\\"","note":"\u{1f600}"}';
const stored = (text: string, parts: RequestParts) => failureText(text, parts, Buffer.from(text));
const withHeader = (name: string, value: string): RequestParts => ({ ...nothing, headers: [[name, value]] });
const hexOf = (code: number, length: number) => code.toString(16).padStart(length, "0");
const bytes = (text: string) => [...Buffer.from(text)];
const escaped = (text: string, write: (code: number) => string) =>
  text.replace(/[\u0080-\uffff]/g, (it) => write(it.charCodeAt(0)));

/** Each way in which a target may write what it was sent. */
const ENCODINGS: Record<string, (text: string) => string> = {
  plain: (text) => text,
  json: JSON.stringify,
  asciiJson: (text) => escaped(JSON.stringify(text), (code) => `\\u${hexOf(code, 4)}`),
  hexEscapes: (text) =>
    bytes(text)
      .map((it) => (it < 128 && it !== 34 ? String.fromCharCode(it) : `\\x${hexOf(it, 2)}`))
      .join(""),
  octalEscapes: (text) =>
    bytes(text)
      .map((it) => `\\${it.toString(8).padStart(3, "0")}`)
      .join(""),
  bracedEscapes: (text) => [...text].map((it) => `\\u{${it.codePointAt(0)?.toString(16)}}`).join(""),
  html: (text) => text.replace(/[&<"']/g, (it) => ({ "&": "&amp;", "<": "&lt;", '"': "&quot;" })[it] ?? "&#39;"),
  hexEntities: (text) => [...text].map((it) => `&#x${it.codePointAt(0)?.toString(16)};`).join(""),
  decimalEntities: (text) => [...text].map((it) => `&#${it.codePointAt(0)};`).join(""),
  spans: (text) => `<b>${[...text].map((it) => (it === "<" ? "&lt;" : it)).join("</b><b>")}</b>`,
  uri: encodeURIComponent,
  percent: (text) =>
    bytes(text)
      .map((it) => `%${hexOf(it, 2)}`)
      .join(""),
  escape: (text) => escaped(text, (code) => `%u${hexOf(code, 4)}`),
  form: (text) => new URLSearchParams({ body: text }).toString(),
  quotedPrintable: (text) =>
    bytes(text)
      .map((it) => (it > 61 && it < 127 ? String.fromCharCode(it) : `=${hexOf(it, 2).toUpperCase()}`))
      .join("")
      .replace(/.{60}/g, "$&=\r\n"),
  base64: (text) => Buffer.from(text).toString("base64"),
  base64url: (text) => Buffer.from(text).toString("base64url"),
  mimeBase64: (text) => Buffer.from(text).toString("base64").replace(/.{40}/g, "$&\r\n"),
  base64Utf16: (text) => Buffer.from(text, "utf16le").toString("base64"),
  base64Gzip: (text) => gzipSync(text).toString("base64"),
  hex: (text) => Buffer.from(text).toString("hex"),
  inspectedBuffer: (text) =>
    `<Buffer ${bytes(text)
      .map((it) => hexOf(it, 2))
      .join(" ")}>`,
  byteNumbers: (text) => JSON.stringify(Buffer.from(text)),
  utf16Zeros: (text) => Buffer.from(text, "utf16le").toString("latin1"),
};

describe("cleanErrorText", () => {
  it("replaces NUL and lone surrogates and nothing else", () => {
    expect(cleanErrorText("a\0b\ud800c\udc00d\u{1f600}\n")).toBe("a\ufffdb\ufffdc\ufffdd\u{1f600}\n");
  });

  it("cuts after 1,024 code points, never inside one", () => {
    expect(cleanErrorText("\u{1f600}".repeat(2000))).toBe("\u{1f600}".repeat(1024));
    expect(cleanErrorText(`a${"\u{1f600}".repeat(2000)}`)).toBe(`a${"\u{1f600}".repeat(1023)}`);
    expect(cleanErrorText("a".repeat(1024))).toHaveLength(1024);
  });

  it("always returns text that Postgres can store, and leaves such text unchanged", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 1500 }),
        fc.string({ unit: fc.constantFrom("\ud83d", "\ude00", "\0") }),
        (a, b) => {
          const cleaned = cleanErrorText(b + a);
          expect(cleaned.isWellFormed() && !cleaned.includes("\0")).toBe(true);
          expect([...cleaned].length).toBeLessThanOrEqual(1024);
          expect(cleanErrorText(cleaned)).toBe(cleaned);
        },
      ),
    );
  });
});

describe("failureText", () => {
  it("masks what repeats the request, and keeps the error around it", () => {
    const text = `Error: cannot store ${JSON_PAYLOAD} because the disk is full`;
    expect(stored(text, sent(JSON_PAYLOAD))).toBe(`Error: cannot store ${REPEATED_REQUEST} because the disk is full`);
    const token = "tok_live_51H8x2eZvKYlo2C";
    const parts = {
      payload: Buffer.from(JSON_PAYLOAD),
      secrets: [],
      headers: [["X-Token", ` ${token} `]] as [string, string][],
    };
    expect(stored(`token ${token} was sent twice: ${token}.`, parts)).toBe(
      `token ${REPEATED_REQUEST} was sent twice: ${REPEATED_REQUEST}.`,
    );
  });

  it("masks 16 characters in common at any position, and keeps 15", () => {
    const payload = Array.from({ length: 40 }, (_, i) => `field${i}=${(i * 7919).toString(36)}`).join("&");
    fc.assert(
      fc.property(fc.nat(payload.length - 17), fc.constantFrom(16, 17), (start, length) => {
        expect(stored(`~${payload.slice(start, start + length)}~`, sent(payload))).toBe(`~${REPEATED_REQUEST}~`);
        const short = `~${payload.slice(start, start + 15)}~`;
        expect(stored(short, sent(payload))).toBe(short);
      }),
    );
  });

  it.each<[string, string, RequestParts]>([
    ["spaces", `{\n${" ".repeat(32)}"error": "card declined"}`, sent(`{\n${" ".repeat(32)}"order": 1234}`)],
    ["tabs", `${"\t".repeat(20)}at main`, sent(`${"\t".repeat(40)}{"order": 1234}`)],
    ["lines", `Failure\n${"-".repeat(40)}\nat main`, sent(`Order 1\n${"-".repeat(70)}\n12`)],
    ["signs apart", "= = = = = = = = = = = = no such order", sent("= = = = = = = = = = = = = = = =")],
    ["zeros", "no account 0000000000000000", withHeader("X-Account", "0".repeat(24))],
    ["a short value", "the staging database is down", withHeader("X-Env", "staging")],
    ["15 characters", "no such customer_number_9", withHeader("X-Key", "ustomer_number_xyz")],
    ["a short cookie", "the staging database is down", withHeader("Cookie", "e=staging")],
    ["a short payload", 'unknown {"id":123456789}', sent('{"id":12345678}')],
    [
      "the content type",
      'cannot read "application/json; charset=utf-8"',
      withHeader("Content-Type", "application/json; charset=utf-8"),
    ],
    ["a media type", 'got "application/json", want "text/plain"', sent('{"type":"application/json","n":1}')],
    [
      "a media type in a header",
      "cannot read application/x-www-form-urlencoded",
      withHeader("X-Format", "application/x-www-form-urlencoded"),
    ],
    [
      "the user agent",
      "billing-service/1.0 (a long name) is blocked",
      withHeader("user-agent", "billing-service/1.0 (a long name)"),
    ],
    ["a reason phrase", "<h1>500 Internal Server Error</h1>", sent('{"alert":"500 Internal Server Error"}')],
    [
      "an XML declaration",
      '<?xml version="1.0" encoding="UTF-8"?>\n<Fault/>',
      sent('<?xml version="1.0" encoding="utf-8"?>\n<Order/>'),
    ],
  ])("keeps all of an error that has %s in common with the request", (_title, text, parts) => {
    expect(stored(text, parts)).toBe(text);
  });

  it("masks a public text together with what is around it", () => {
    const payload = '{"type":"application/json","amount":1234567890}';
    expect(stored(`Cannot read ${payload}.`, sent(payload))).toBe(`Cannot read ${REPEATED_REQUEST}.`);
  });

  it.each(Object.keys(ENCODINGS))(
    "leaves nothing readable of a payload that is repeated as %s, or as that in another encoding",
    (name) => {
      for (const [outerName, outer] of Object.entries(ENCODINGS)) {
        const echo = outer(`x=${ENCODINGS[name]?.(JSON_PAYLOAD)}`);
        const text = stored(`<p>You sent: ${echo}`, sent(JSON_PAYLOAD));
        expect(text, outerName).toContain(REPEATED_REQUEST);
        const left = text
          .replaceAll(REPEATED_REQUEST, "")
          .replace("<p>You sent: ", "")
          .replace(/[\0\ufffd]/g, "");
        expect(left.length, `${outerName}: ${left}`).toBeLessThan(16);
      }
    },
  );

  it("replaces the whole response when the rest, decoded, repeats the request", () => {
    const [first, second] = [JSON_PAYLOAD.slice(0, 30), JSON_PAYLOAD.slice(30)];
    const text = `Error near ${first} and ${Buffer.from(second).toString("hex")}`;
    expect(stored(text, sent(JSON_PAYLOAD))).toBe(REPEATED_REQUEST);
  });

  it("finds base64 at any alignment of its groups", () => {
    for (const before of ["", "a", "ab", "abc", "a/", "data:text/plain;base64,"]) {
      for (const prefix of ["", "x", "xy"]) {
        const echo = before + Buffer.from(prefix + JSON_PAYLOAD).toString("base64");
        expect(stored(echo, sent(JSON_PAYLOAD)), before).toBe(REPEATED_REQUEST);
      }
    }
  });

  it.each<[string, (text: string) => string]>([
    ["in capitals", (text) => text.toUpperCase()],
    ["as indented JSON", (text) => JSON.stringify(JSON.parse(text), null, 4)],
    ["without accents", (text) => text.normalize("NFD").replace(/\p{M}/gu, "")],
    ["with accents apart", (text) => text.normalize("NFD")],
    ["in other quotes", (text) => text.replaceAll('"', "'")],
    ["in lines of 15", (text) => text.replace(/.{15}/g, "$&\n> ")],
    ["in pieces of 5", (text) => text.replace(/.{5}/g, "$& | ")],
    ["character by character", (text) => [...text].join("-")],
    ["as a list of characters", (text) => JSON.stringify([...text])],
    ["in columns of 16, as hexdump prints it", (text) => text.replace(/.{16}/g, "00000010  |$&|\n")],
  ])("masks a payload that is repeated %s", (_title, written) => {
    const payload = JSON.stringify({
      card: "4242 4242 4242 4242",
      name: "J\u00fcrgen O'Neil",
      pin: 1234,
      city: "K\u00f6ln",
    });
    const text = stored(`Error: bad request (${written(payload)})`, sent(payload));
    expect(text).toContain(REPEATED_REQUEST);
    expect(text).not.toMatch(/4242.*4242.*4242/s);
    expect(text).not.toMatch(/o'neil/i);
  });

  it("masks what a target has decoded from the payload", () => {
    const note =
      "\u3042\u3044\u3046\u3048\u304a\u304b\u304d\u304f\u3051\u3053\u3055\u3057\u3059\u305b\u305d\u305f\u3061";
    const json = escaped(JSON.stringify({ note }), (code) => `\\u${hexOf(code, 4)}`);
    for (const payload of [json, new URLSearchParams({ note }).toString()]) {
      expect(stored(`not valid (${note})`, sent(payload))).toBe(`not valid (${REPEATED_REQUEST})`);
    }
    const lines = JSON.stringify({ address: "1 Main Street\nDublin 2\nIreland" });
    expect(stored("no such place: 1 Main Street\nDublin 2\nIreland", sent(lines))).toBe(
      `no such place: ${REPEATED_REQUEST}`,
    );
  });

  it("compares secrets and the values of custom headers", () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";
    const parts = { ...nothing, secrets: [secret], headers: [["X-Token", "tok_1234567890ab"]] as [string, string][] };
    expect(stored("bad key MfKQ9r8GKYqrTwjU", parts)).toBe(`bad key ${REPEATED_REQUEST}`);
    expect(stored('{"token":"tok_1234567890ab"}', parts)).toBe(`{"token":"${REPEATED_REQUEST}"}`);
    expect(stored(Buffer.from("x-token: tok_1234567890ab").toString("base64"), parts)).toBe(REPEATED_REQUEST);
  });

  it("compares what follows the scheme in Authorization from 8 characters on, and the decoded credentials of Basic", () => {
    const basic = Buffer.from("billing-service:correct:horse").toString("base64");
    const bearer = withHeader("Authorization", "Bearer  tok_12345");
    expect(stored("unknown token tok_12345", bearer)).toBe(`unknown token ${REPEATED_REQUEST}`);
    expect(stored("unknown token %74ok_12345", bearer)).toBe(REPEATED_REQUEST);
    expect(stored("unknown token tok_1234", bearer)).toBe("unknown token tok_1234");
    expect(stored("try Bearer or Basic", bearer)).toBe("try Bearer or Basic");
    expect(stored("unknown token tok_12345", withHeader("AUTHORIZATION", "tok_12345"))).toBe(
      `unknown token ${REPEATED_REQUEST}`,
    );
    expect(stored(`got ${basic}`, withHeader("authorization", `basic ${basic}`))).toBe(`got ${REPEATED_REQUEST}`);
    const given = withHeader("Authorization", `Basic ${basic}`);
    expect(stored("no user billing-service:correct:horse", given)).toBe(`no user ${REPEATED_REQUEST}`);
    expect(stored("wrong password correct:horse", given)).toBe(`wrong password ${REPEATED_REQUEST}`);
    expect(stored("no user billing-service", given)).toBe("no user billing-service");
  });

  it.each<[string, RequestParts, string]>([
    ["X-Api-Key", withHeader("X-Api-Key", "hunter-2"), "hunter-2"],
    ["X-Api-Key of 15 characters", withHeader("x-api-key", "0123456789abcde"), "0123456789abcde"],
    ["a header of any name", withHeader("X-Tenant-Pin", " 4711-0815 "), "4711-0815"],
    ["a header with a scheme", withHeader("X-Auth", "Token sesame-1"), "sesame-1"],
    ["Proxy-Authorization", withHeader("Proxy-Authorization", "Bearer sesame-1"), "sesame-1"],
    ["a cookie", withHeader("Cookie", "theme=dark; sid=abc12345; last=x"), "abc12345"],
    ["a quoted cookie", withHeader("Cookie", 'sid="abc12345"'), "abc12345"],
    ["a payload", sent("hunter-2"), "hunter-2"],
    ["a payload with a line break behind it", sent("hunter-2\n"), "hunter-2"],
    ["a percent-encoded header", withHeader("X-Key", "s%C3%A9same-1"), "s\u00e9same-1"],
  ])("masks a whole value of 8 characters and more, as a target echoes it: %s", (_, parts, value) => {
    const masked = `unknown key ${REPEATED_REQUEST}, try again`;
    expect(stored(`unknown key ${value}, try again`, parts)).toBe(masked);
    expect(stored(`unknown key ${value.toUpperCase()}, try again`, parts)).toBe(masked);
    for (const encode of Object.values(ENCODINGS)) {
      expect(stored(`<p>${encode(value)}</p>`, parts).toLowerCase()).not.toContain(value);
    }
    expect(stored(`seen: ${Buffer.from(`key=${value}`).toString("base64")}`, parts)).toBe(REPEATED_REQUEST);
    const part = value.slice(0, -1);
    expect(stored(`unknown key ${part}, try again`, parts)).toBe(`unknown key ${part}, try again`);
  });

  it.each<[string, RequestParts, string]>([
    ["a value of 7 characters", withHeader("X-Key", "hunter2"), "unknown key hunter2"],
    ["a value of one character", withHeader("X-Line", "----------"), "unknown key\n----------\n"],
    ["a public text", withHeader("X-Format", "text/html"), "no text/html here"],
    ["a part of a public text", sent("Internal"), "Internal Server Error"],
    ["a public header", withHeader("User-Agent", "billing/2.1"), "billing/2.1 is refused"],
    ["the name of a cookie", withHeader("Cookie", "session_id=1"), "session_id is missing"],
  ])("keeps a text with %s", (_, parts, text) => {
    expect(stored(text, parts)).toBe(text);
  });

  it("finds no run across two values", () => {
    const parts = { ...nothing, secrets: ["0123456789abcdefgh", "ijklmnopqrstuvwxyz"] };
    expect(stored("abcdefghijklmnop", parts)).toBe("abcdefghijklmnop");
  });

  it("leaves no run of 16 that is in the payload, for texts made to share long parts", () => {
    const piece = fc.constantFrom("aaaaaaaaaaaaaaaa", "abababababababab", "0123456789abcdef", "a", "b", "xyz");
    const long = fc.array(piece, { minLength: 2, maxLength: 40 }).map((pieces) => pieces.join(""));
    // A shorter payload is masked where it stands whole.
    const payloads = long.filter(({ length }) => length >= 16);
    fc.assert(
      fc.property(long, payloads, (text, payload) => {
        const runs = Array.from({ length: Math.max(0, payload.length - 15) }, (_, i) => payload.slice(i, i + 16));
        const shared = runs.filter((run) => new Set(run).size > 1 && text.includes(run));
        const result = stored(text, sent(payload));
        if (shared.length === 0) expect(result).toBe(text);
        else expect(shared.filter((run) => result.includes(run))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  it("never stores a run of the payload, wherever the limit cuts it", () => {
    const payload = Array.from({ length: 200 }, (_, i) => (i * 2654435761).toString(36)).join("|");
    fc.assert(
      fc.property(
        fc.nat(1500),
        fc.nat(payload.length - 100),
        fc.integer({ min: 16, max: 100 }),
        (padding, start, length) => {
          const text = stored(" ".repeat(padding) + payload.slice(start, start + length), sent(payload));
          for (let i = 0; i + 16 <= payload.length; i++) expect(text.includes(payload.slice(i, i + 16))).toBe(false);
          expect(text.includes(REPEATED_REQUEST)).toBe(padding < 1024);
        },
      ),
      { numRuns: 50 },
    );
    for (const padding of [0, 500, 1000, 1008, 1023]) {
      const text = stored(" ".repeat(padding) + payload.slice(262, 279), sent(payload));
      expect(text.trim()).toBe(REPEATED_REQUEST);
      expect(text.length).toBeLessThanOrEqual(1024);
    }
  });

  it("recognises a value that the length limit would cut, also when it is encoded", () => {
    const value = "\u3042\u3044\u3046\u3048\u304a-0123456789-abcdef";
    const percent = ENCODINGS.percent as (text: string) => string;
    for (const kept of [1, 9, 100]) {
      const text = "-".repeat(1024 - kept);
      expect(stored(`${text}${percent(value)} and more`, sent(value))).toBe(REPEATED_REQUEST);
      expect(stored(`${text}${percent(percent(value))} and more`, sent(value))).toBe(REPEATED_REQUEST);
      const start = "-".repeat(1024 - Math.max(kept, REPEATED_REQUEST.length));
      expect(stored(`${text}${value} and more`, sent(value)).startsWith(start + REPEATED_REQUEST)).toBe(true);
    }
  });

  it("keeps a response whose only repetition of the request is far behind the stored part", () => {
    expect(stored(`${"-".repeat(4096)}${JSON_PAYLOAD}`, sent(JSON_PAYLOAD))).toBe("-".repeat(1024));
  });

  it("compares before it cleans, so that a NUL in a payload hides nothing", () => {
    const payload = "a\0b\0c\0d\0e\0f\0g\0h\0i\0j\0k\0l\0m\0n\0o\0p\0";
    expect(stored(payload, sent(payload))).not.toMatch(/[b-o]\ufffd/);
  });

  it("masks a text that is in the charset that it declares", () => {
    const text = "Fehler: Gr\u00f6\u00dfe \u00fcberschreitet 1000 St\u00fcck. Ende";
    const masked = `Fehler: ${REPEATED_REQUEST}. Ende`;
    for (const charset of ["latin1", "utf16le"] as const) {
      expect(failureText(text, sent(text.slice(8, -6)), Buffer.from(text, charset)), charset).toBe(masked);
    }
  });

  it("compares a text that is not in the charset that it declares with that in which it is", () => {
    const japanese =
      "\u3042\u3044\u3046\u3048\u304a\u304b\u304d\u304f\u3051\u3053\u3055\u3057\u3059\u305b\u305d\u305f\u3061";
    for (const value of [JSON_PAYLOAD, japanese]) {
      const utf8 = Buffer.from(value);
      const utf16 = Buffer.from(value, "utf16le");
      for (const [name, body] of Object.entries({ utf8, utf16, utf16be: Buffer.from(utf16).swap16() })) {
        for (const charset of ["utf-8", "utf-16le", "utf-16be", "iso-8859-1", "koi8-r", "shift_jis"]) {
          const text = failureText(new TextDecoder(charset).decode(body), sent(value), body);
          const isRight =
            name === charset.replace("-", "") ||
            (name === "utf16" && charset === "utf-16le") ||
            (name === "utf16be" && charset === "utf-16be");
          if (isRight) expect(text, `${name} as ${charset}`).toBe(REPEATED_REQUEST);
          else expect(text.replace(REPEATED_REQUEST, "").length, `${name} as ${charset}: ${text}`).toBeLessThan(16);
        }
      }
    }
    expect(failureText("nothing", sent(JSON_PAYLOAD), Buffer.from("of it"))).toBe("nothing");
  });

  it("keeps the first 1,024 code points of any other response", () => {
    expect(stored(`\0${"x".repeat(5000)}`, sent(JSON_PAYLOAD))).toBe(`\ufffd${"x".repeat(1023)}`);
    expect(stored("", sent(JSON_PAYLOAD))).toBe("");
    expect(REPEATED_REQUEST).toBe("[response repeated the request]");
  });
});
