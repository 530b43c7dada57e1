import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanErrorText, failureText, REPEATED_REQUEST, repeatsRequest } from "#domain/error-text.ts";

const nothing = { payload: null, secrets: [], headers: [] };
const sent = (payload: string) => ({ ...nothing, payload: Buffer.from(payload) });
const JSON_PAYLOAD =
  '{"card":"4242 4242 4242 4242","name":"J\u00fcrgen <O\'Neil> & \\"S\u00f6hne\\"","note":"\u{1f600}"}';
const percent = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
const html = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;");
const asciiJson = (text: string) =>
  JSON.stringify(text).replace(/[\u0080-\uffff]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, "0")}`);

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

describe("a body that is not in the charset that it declares", () => {
  it("is compared as UTF-8, too", () => {
    const body = Buffer.from(JSON_PAYLOAD);
    expect(failureText(body.toString("utf16le"), sent(JSON_PAYLOAD), body.toString())).toBe(REPEATED_REQUEST);
    expect(failureText("nothing", sent(JSON_PAYLOAD), "of it")).toBe("nothing");
  });
});

describe("repeatsRequest", () => {
  it("finds a common run of 32 characters at any position, and none of 31", () => {
    const payload = Array.from({ length: 40 }, (_, i) => `field${i}=${(i * 7919).toString(36)}`).join("&");
    fc.assert(
      fc.property(fc.nat(payload.length - 32), fc.string(), fc.string(), (start, before, after) => {
        expect(repeatsRequest(`${before}${payload.slice(start, start + 32)}${after}`, sent(payload))).toBe(true);
        expect(repeatsRequest(`~${payload.slice(start, start + 31)}~`, sent(payload))).toBe(false);
      }),
    );
  });

  it("finds the payload in each encoding, and in one encoding inside another", () => {
    const encodings: Record<string, (text: string) => string> = {
      plain: (text) => text,
      json: JSON.stringify,
      asciiJson,
      html,
      numericHtml: (text) => [...text].map((it) => `&#x${it.codePointAt(0)?.toString(16)};`).join(""),
      decimalHtml: (text) => [...text].map((it) => `&#${it.codePointAt(0)};`).join(""),
      uri: encodeURIComponent,
      percent,
      form: (text) => new URLSearchParams({ body: text }).toString(),
      base64: (text) => Buffer.from(text).toString("base64"),
      base64url: (text) => Buffer.from(text).toString("base64url"),
      mimeBase64: (text) => Buffer.from(text).toString("base64").replace(/.{40}/g, "$&\r\n"),
    };
    for (const [outer, encode] of Object.entries(encodings)) {
      for (const [inner, encodeFirst] of Object.entries(encodings)) {
        const echo = `<p>You sent: ${encode(`x=${encodeFirst(JSON_PAYLOAD)}`)}</p>`;
        expect(repeatsRequest(echo, sent(JSON_PAYLOAD)), `${outer} of ${inner}`).toBe(true);
      }
    }
  });

  it("finds base64 at any alignment of its groups", () => {
    for (const before of ["", "a", "ab", "abc", "a/", "data:text/plain;base64,"]) {
      for (const prefix of ["", "x", "xy"]) {
        const echo = before + Buffer.from(prefix + JSON_PAYLOAD).toString("base64");
        expect(repeatsRequest(echo, sent(JSON_PAYLOAD)), before).toBe(true);
      }
    }
  });

  it("finds a whole value of 8 to 31 characters, and none that is shorter or incomplete", () => {
    for (const value of ["12345678", '{"id":1}', "a".repeat(31)]) {
      expect(repeatsRequest(`got ${value}!`, sent(value))).toBe(true);
      expect(repeatsRequest(`got ${percent(value)}!`, sent(value))).toBe(true);
      expect(repeatsRequest(`got ${value.slice(1)}!`, sent(value))).toBe(false);
    }
    expect(repeatsRequest("got 1234567!", sent("1234567"))).toBe(false);
    expect(repeatsRequest("", sent(""))).toBe(false);
    expect(repeatsRequest("anything", nothing)).toBe(false);
  });

  it("compares secrets and the values of custom headers, except Content-Type, Accept and User-Agent", () => {
    const parts = {
      payload: null,
      secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="],
      headers: [
        ["X-Token", " tok_12345 "],
        ["CONTENT-TYPE", "application/json"],
        ["Accept", "application/xml"],
        ["user-agent", "billing-service/1.0 (a long description of it)"],
      ] as [string, string][],
    };
    expect(repeatsRequest("bad key MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ", parts)).toBe(true);
    expect(repeatsRequest('{"token":"tok_12345"}', parts)).toBe(true);
    expect(repeatsRequest("not application/json nor application/xml", parts)).toBe(false);
    expect(repeatsRequest("billing-service/1.0 (a long description of it)", parts)).toBe(false);
  });

  it("compares what follows the scheme in Authorization, and the decoded credentials of Basic", () => {
    const basic = Buffer.from("billing-service:correct:horse").toString("base64");
    const repeats = (text: string, ...headers: [string, string][]) => repeatsRequest(text, { ...nothing, headers });
    expect(repeats("unknown token tok_12345", ["Authorization", "Bearer  tok_12345"])).toBe(true);
    expect(repeats("unknown token tok_12345", ["AUTHORIZATION", "tok_12345"])).toBe(true);
    expect(repeats("unknown token tok_1234", ["Authorization", "Bearer tok_12345"])).toBe(false);
    expect(repeats(`got ${basic}`, ["authorization", `basic ${basic}`])).toBe(true);
    expect(repeats("no user billing-service:correct:horse", ["Authorization", `Basic ${basic}`])).toBe(true);
    expect(repeats("wrong password correct:horse", ["Authorization", `Basic ${basic}`])).toBe(true);
    expect(repeats("no user billing-service", ["Authorization", `Basic ${basic}`])).toBe(false);
    expect(repeats("try Bearer or Basic", ["Authorization", "Bearer tok_12345"])).toBe(false);
  });

  it("compares the value of each cookie", () => {
    const headers: [string, string][] = [["cookie", 'theme=dark; session=s3cr3t-1; quoted="quoted12";flag']];
    expect(repeatsRequest("no session s3cr3t-1", { ...nothing, headers })).toBe(true);
    expect(repeatsRequest("no such quoted12", { ...nothing, headers })).toBe(true);
    expect(repeatsRequest("the theme dark is unknown, session too", { ...nothing, headers })).toBe(false);
  });

  it("finds no run across two values", () => {
    const parts = { ...nothing, secrets: ["a".repeat(20), "b".repeat(20)] };
    expect(repeatsRequest("a".repeat(16) + "b".repeat(16), parts)).toBe(false);
  });

  it("agrees with a comparison of every run, for texts made to share long parts", () => {
    const piece = fc.constantFrom("aaaaaaaaaaaaaaaa", "abababababababab", "0123456789abcdef", "a", "b", "xyz");
    const long = fc
      .array(piece, { minLength: 3, maxLength: 12 })
      .map((pieces) => pieces.join(""))
      .filter((it) => it.length >= 32);
    fc.assert(
      fc.property(long, long, (text, payload) => {
        const runs = Array.from({ length: payload.length - 31 }, (_, i) => payload.slice(i, i + 32));
        expect(repeatsRequest(text, sent(payload))).toBe(runs.some((run) => text.includes(run)));
      }),
      { numRuns: 1000 },
    );
  });
});

describe("failureText", () => {
  it("replaces the whole response when it repeats the request", () => {
    expect(failureText(`Error near ${JSON_PAYLOAD}`, sent(JSON_PAYLOAD))).toBe(REPEATED_REQUEST);
    expect(REPEATED_REQUEST).toBe("[response repeated the request]");
  });

  it("keeps the first 1,024 code points of any other response", () => {
    expect(failureText(`\0${"x".repeat(5000)}`, sent(JSON_PAYLOAD))).toBe(`\ufffd${"x".repeat(1023)}`);
  });

  it("compares before it cleans, so that a NUL in a payload hides nothing", () => {
    const payload = "a\0b\0c\0d\0e\0f\0g\0h\0i\0j\0k\0l\0m\0n\0o\0p\0";
    expect(failureText(payload, sent(payload))).toBe(REPEATED_REQUEST);
  });

  it("recognises a value that the length limit would cut, also when it is encoded", () => {
    const value = "\u3042\u3044\u3046\u3048\u304a-0123456789-abcdef";
    for (const kept of [1, 9, 100]) {
      expect(failureText(`${"-".repeat(1024 - kept)}${percent(value)} and more`, sent(value))).toBe(REPEATED_REQUEST);
    }
  });

  it("keeps a response whose only repetition of the request is far behind the stored part", () => {
    expect(failureText(`${"-".repeat(4096)}${JSON_PAYLOAD}`, sent(JSON_PAYLOAD))).toBe("-".repeat(1024));
  });

  it("never stores a run of the payload", () => {
    const payload = Array.from({ length: 200 }, (_, i) => (i * 2654435761).toString(36)).join("|");
    fc.assert(
      fc.property(fc.nat(1500), fc.nat(payload.length - 100), fc.nat(100), (padding, start, length) => {
        const stored = failureText(" ".repeat(padding) + payload.slice(start, start + length), sent(payload));
        for (let i = 0; i + 32 <= stored.length; i++) expect(payload.includes(stored.slice(i, i + 32))).toBe(false);
      }),
    );
  });
});
