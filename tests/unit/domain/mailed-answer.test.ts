import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mailedAnswer } from "#domain/mailed-answer.ts";

const said = (error: string | null, code: number | null = 503) => mailedAnswer({ code, error });

describe("the answer of a schedule in a mail", () => {
  test.each([
    ["settlement window closed", "503 settlement window closed"],
    ['{"error":{"message":"Card was declined (try later)."}}', "503 Card was declined (try later)."],
    ["<html><title>502 Bad Gateway</title>", "503 502 Bad Gateway"],
    ["rate_limit_exceeded: 100% used, wait 30s", "503 rate_limit_exceeded: 100% used, wait 30s"],
    ["Größe überschritten, s'il vous plaît", "503 Größe überschritten, s'il vous plaît"],
    [null, "503 Service Unavailable"],
    ["", "503 Service Unavailable"],
    ["{", "503 Service Unavailable"],
  ])("has the words of %j", (error, answer) => {
    expect(said(error)).toBe(answer);
  });

  test.each([
    ["see https://evil.example/login now", "503 see … now"],
    ["see evil.example or www.evil.example/a", "503 see … or …"],
    ["no user ana@example.com with card 4242424242424242", "503 no user … with card …"],
    ["token sw_live_abc123DEF456 is wrong", "503 token … is wrong"],
    ["order 12345 of <b>bold</b> fails", "503 order … of … fails"],
    ["call tel:5551234 or mailto:a", "503 call … or …"],
    ["right \u202eto left", "503 right … left"],
    ["4242424242424242", "503 Service Unavailable"],
  ])("leaves out of %j what may be an address, a name or a secret", (error, answer) => {
    expect(said(error)).toBe(answer);
  });

  test("is the dispatcher's reason where there was no answer", () => {
    expect(said("connection: ECONNREFUSED", null)).toBe("connection: ECONNREFUSED");
    expect(said("no answer within 30 s", null)).toBe("no answer within 30 s");
    expect(said(null, null)).toBe("no answer");
    expect(said(null, 299)).toBe("299");
  });

  test("has at most 80 characters of a text, and none of which a mail program makes a link, whatever the target said", () => {
    expect(said("word ".repeat(40))).toBe(`503 ${"word ".repeat(40).slice(0, 79)}…`);
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (error) => {
        const answer = said(error);
        expect([...answer].length).toBeLessThanOrEqual("503 ".length + 80);
        expect(answer).not.toMatch(/[@/\\<>&]|[.:]\p{L}|\d{5}|\p{C}/u);
      }),
    );
  });
});
