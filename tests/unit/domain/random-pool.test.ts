import { expect, test } from "vitest";
import { pooledRandomBytes } from "#domain/random-pool.ts";

const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

test("no two callers ever get the same bytes, and the bytes of a caller never change later", () => {
  const taken = Array.from({ length: 2_000 }, (_, n) => pooledRandomBytes(10 + (n % 3)));
  const texts = taken.map(toHex);
  expect(new Set(texts.map((text) => text.slice(0, 20))).size).toBe(taken.length);
  expect(taken.map((bytes) => bytes.length)).toEqual(taken.map((_, n) => 10 + (n % 3)));
  pooledRandomBytes(64);
  expect(taken.map(toHex)).toEqual(texts);
});
