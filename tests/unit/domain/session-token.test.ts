import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { generateSessionToken, hashSessionToken, isSessionToken } from "#domain/session-token.ts";

test("a session token is 256 random bits in characters that a cookie can carry", () => {
  const tokens = Array.from({ length: 1_000 }, generateSessionToken);
  expect(tokens.every(isSessionToken)).toBe(true);
  expect(new Set(tokens).size).toBe(1_000);
  expect(Buffer.from(tokens[0] as string, "base64url")).toHaveLength(32);
});

test.each(["", "a".repeat(42), "a".repeat(44), `${"a".repeat(42)}=`, `${"a".repeat(42)} `, `${"a".repeat(43)}\n`])(
  "%j is no session token",
  (text) => {
    expect(isSessionToken(text)).toBe(false);
  },
);

test("the stored hash of a session token is its SHA-256 in hexadecimal", () => {
  const token = generateSessionToken();
  expect(hashSessionToken(token)).toBe(createHash("sha256").update(token).digest("hex"));
});
