import { hash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sha256 } from "#domain/sha256.ts";

test("is the hash that Node.js makes of any text", () => {
  const longer = fc.nat(300).map((length) => "x".repeat(length));
  fc.assert(
    fc.property(fc.oneof(longer, fc.string({ unit: "binary" })), (text) => {
      expect(sha256(text)).toBe(hash("sha256", text));
    }),
  );
});
