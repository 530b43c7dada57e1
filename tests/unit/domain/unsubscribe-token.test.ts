import { createSecretKey, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { newId } from "#domain/ids.ts";
import { readUnsubscribeToken, unsubscribeToken } from "#domain/unsubscribe-token.ts";

const key = createSecretKey(randomBytes(32));
const id = newId(Date.now());
const token = unsubscribeToken(key, id);

test("an unsubscribe token names its account and is the same each time", () => {
  expect(readUnsubscribeToken(key, token)).toBe(id);
  expect(unsubscribeToken(key, id)).toBe(token);
});

test("an unsubscribe token with a changed bit, of another key, cut off or longer is refused", () => {
  const bytes = Buffer.from(token, "base64url");
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
    expect(readUnsubscribeToken(key, changed.toString("base64url"))).toBeNull();
  }
  expect(readUnsubscribeToken(createSecretKey(randomBytes(32)), token)).toBeNull();
  for (const other of ["", token.slice(1), `${token}A`, `${token}=`, `${token} `, `${token.slice(0, -1)}!`])
    expect(readUnsubscribeToken(key, other)).toBeNull();
});
