import { createSecretKey } from "node:crypto";
import { expect, it } from "vitest";
import { isKeyOfForm, keyOfForm } from "#server/schedules/form-key.ts";

const KEY = createSecretKey(Buffer.alloc(32, 1));

it("a form with the same content has the same key, and another as soon as form, content or secret differ", () => {
  const key = keyOfForm(KEY, "form-1", { url: "https://example.com/" });
  expect(keyOfForm(KEY, "form-1", { url: "https://example.com/" })).toBe(key);
  expect(keyOfForm(KEY, "form-2", { url: "https://example.com/" })).not.toBe(key);
  expect(keyOfForm(KEY, "form-1", { url: "https://example.com/x" })).not.toBe(key);
  expect(keyOfForm(createSecretKey(Buffer.alloc(32, 2)), "form-1", { url: "https://example.com/" })).not.toBe(key);
});

it("isKeyOfForm distinguishes the key of a form from one that an owner chose", () => {
  expect(isKeyOfForm(keyOfForm(KEY, "form-1", {}))).toBe(true);
  expect(isKeyOfForm(`form/${crypto.randomUUID()}`)).toBe(true);
  for (const own of ["form-1001", "form/contact", "order-1001", ""]) expect(isKeyOfForm(own)).toBe(false);
});
