import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseEmailAddress, parseTypedEmailAddress } from "#domain/email-address.ts";
import { countRunTime } from "#tests/helpers/run-time.ts";

const SPELLINGS: [string, string][] = [
  ["the Kelvin sign as k", "\u212Aim@example.com"],
  ["the Kelvin sign in the domain", "ada@\u212Aelvin.example"],
  ["the Kelvin sign in the last label", "ada@example.\u212Aim"],
  ["the long s as s", "ali\u017Fon@example.com"],
  ["the long s in the domain", "ada@\u017Ftopwatch.example"],
  ["a dotted capital I", "k\u0130m@example.com"],
  ["a dotless i", "k\u0131m@example.com"],
  ["full-width letters", "\uFF4B\uFF49\uFF4D@example.com"],
  ["a full-width @", "kim\uFF20example.com"],
  ["a small @", "kim\uFE6Bexample.com"],
  ["a full-width dot", "kim@example\uFF0Ecom"],
  ["an ideographic dot", "kim@example\u3002com"],
  ["a Cyrillic letter in the domain", "kim@ex\u0430mple.com"],
  ["a domain that is not in punycode", "kim@b\u00FCcher.example"],
  ["a ligature", "\uFB01n@example.com"],
  ["a combining mark", "ki\u0301m@example.com"],
  ["a zero-width joiner", "ki\u200Dm@example.com"],
  ["a zero-width joiner in the domain", "kim@exam\u200Dple.com"],
  ["a zero-width space", "kim\u200B@example.com"],
  ["a soft hyphen", "ki\u00ADm@example.com"],
  ["a byte order mark", "\uFEFFkim@example.com"],
  ["a no-break space", "kim@example.com\u00A0"],
  ["a space of Unicode", "\u2003kim@example.com"],
  ["a mathematical letter", "\u{1D424}im@example.com"],
  ["a lone surrogate", "\uD835kim@example.com"],
  ["a dot at the end of the domain", "kim@example.com."],
  ["a dot at the end", "kim.@example.com"],
  ["a dot at the start", ".kim@example.com"],
  ["two dots", "kim..b@example.com"],
  ["two dots in the domain", "kim@example..com"],
  ["a quoted local part", '"kim"@example.com'],
  ["a quoted @", '"kim@a"@example.com'],
  ["a comment", "kim(home)@example.com"],
  ["a comment at the end", "kim@example.com (home)"],
  ["a display name", "Kim <kim@example.com>"],
  ["angle brackets", "<kim@example.com>"],
  ["two @", "kim@a@example.com"],
  ["a list", "kim@example.com,eve@example.com"],
  ["a list with semicolons", "kim@example.com;eve@example.com"],
  ["a source route", "@a.example:kim@example.com"],
  ["an escape", "k\\im@example.com"],
  ["a percent sign in the domain", "kim@exa%6Dple.com"],
  ["a line feed", "kim@example.com\n"],
  ["a header of its own", "kim@example.com\r\nBcc: eve@example.com"],
  ["NUL", "kim\0@example.com"],
  ["an address literal", "kim@[127.0.0.1]"],
  ["an IPv4 address", "kim@127.0.0.1"],
  ["a domain of one label", "kim@localhost"],
  ["a label that begins with a hyphen", "kim@-example.com"],
  ["a label that ends with a hyphen", "kim@example-.com"],
  ["an underscore in the domain", "kim@ex_ample.com"],
  ["a port", "kim@example.com:25"],
  ["a scheme", "mailto:kim@example.com?cc=eve@example.com"],
  ["nothing before the @", "@example.com"],
  ["nothing after the @", "kim@"],
  ["65 characters before the @", `${"a".repeat(65)}@example.com`],
  ["a label of 64 characters", `kim@${"a".repeat(64)}.com`],
  ["255 characters", `kim@${`${"a".repeat(61)}.`.repeat(4)}com`],
  ["no text", ""],
];

describe("an e-mail address", () => {
  test.each([
    ["Kim@Example.COM", "kim@example.com"],
    ["ADA.lovelace+Sign-In@sub.Example.co", "ada.lovelace+sign-in@sub.example.co"],
    ["!#$%&'*+-/=?^_`{|}~@example.com", "!#$%&'*+-/=?^_`{|}~@example.com"],
    ["kim@xn--bcher-kva.example", "kim@xn--bcher-kva.example"],
    ["kim@XN--E1AFMKFD.XN--P1AI", "kim@xn--e1afmkfd.xn--p1ai"],
    ["1@2.3.io", "1@2.3.io"],
    [`${"a".repeat(64)}@example.com`, `${"a".repeat(64)}@example.com`],
    [`kim@${`${"a".repeat(61)}.`.repeat(4)}co`, `kim@${`${"a".repeat(61)}.`.repeat(4)}co`],
  ])("may be %s: only A-Z is folded", (text, stored) => {
    expect(parseEmailAddress(text)).toBe(stored);
  });

  test.each(SPELLINGS)("is refused with %s, before anything is folded or normalised", (_, text) => {
    expect(parseEmailAddress(text)).toBeNull();
  });

  test("is the same for two texts only if they are equal but for the case of A-Z", () => {
    const letter = fc.constantFrom(
      "k",
      "K",
      "\u212A",
      "s",
      "S",
      "\u017F",
      "i",
      "I",
      "\u0130",
      "\u0131",
      "\uFF4B",
      "@",
      ".",
    );
    const text = fc.array(letter, { maxLength: 6 }).map((letters) => `${letters.join("")}@ks.kim`);
    const upper = (it: string) => it.replace(/[a-z]/g, (one) => String.fromCharCode(one.charCodeAt(0) - 32));
    fc.assert(
      fc.property(text, text, (one, other) => {
        const [parsed, parsedOther] = [parseEmailAddress(one), parseEmailAddress(other)];
        if (parsed !== null && parsed === parsedOther) expect(upper(one)).toBe(upper(other));
        if (parsed !== null) expect(parsed).toMatch(/^[\x21-\x7e]+$/);
      }),
    );
  });

  test("is judged in linear time, however long the text", () => {
    const ranMs = countRunTime();
    for (const text of ["a".repeat(1e6), `${"a.".repeat(5e5)}@b`, `a@${"a-".repeat(126)}`, `a@${"a".repeat(251)}!`]) {
      expect(parseEmailAddress(text)).toBeNull();
      expect(parseTypedEmailAddress(`${" ".repeat(1e6)}${text}${" ".repeat(1e6)}x`)).toBeNull();
    }
    expect(ranMs()).toBeLessThan(1_000);
  });
});

describe("an e-mail address that a person types", () => {
  test.each([" kim@example.com ", "\tKim@example.com\r\n", "kim@example.com"])(
    "may have ASCII white space around it: %j",
    (text) => {
      expect(parseTypedEmailAddress(text)).toBe("kim@example.com");
    },
  );

  test.each([
    "\u00A0kim@example.com",
    "kim@example.com\u2003",
    "\uFEFFkim@example.com",
    "k im@example.com",
    "kim@example.com\u2028",
  ])("may have no other space: %j", (text) => {
    expect(parseTypedEmailAddress(text)).toBeNull();
  });
});
