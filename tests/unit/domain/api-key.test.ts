import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { apiKeyPreview, generateApiKey, hashApiKey, parseApiKey } from "#domain/api-key.ts";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const anyEnv = fc.constantFrom("live", "test") as fc.Arbitrary<"live" | "test">;

describe("generateApiKey", () => {
  test("makes a key of the documented form, which shows its environment", () => {
    fc.assert(
      fc.property(anyEnv, (env) => {
        const key = generateApiKey(env);
        expect(key).toMatch(/^sw_(live|test)_[0-9A-Za-z]{38}$/);
        expect(parseApiKey(key)).toEqual({ env });
      }),
    );
  });

  test("draws each of the 62 digits about equally often", () => {
    const counts = new Map<string, number>();
    for (let made = 0; made < 4_000; made++) {
      for (const digit of generateApiKey("live").slice(8, 40)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
    }
    expect(counts.size).toBe(62);
    for (const count of counts.values()) expect(Math.abs(count - 128_000 / 62)).toBeLessThan(300);
  });

  test("never makes the same key twice", () => {
    expect(new Set(Array.from({ length: 1_000 }, () => generateApiKey("test"))).size).toBe(1_000);
  });
});

describe("parseApiKey", () => {
  // Computed with Python's zlib.crc32 and its integers.
  test.each([
    ["sw_live_000000000000000000000000000000001EBExM", "live"],
    ["sw_test_0123456789ABCDEFGHIJKLMNOPQRSTUV0Hc7TK", "test"],
  ])("checks a CRC-32 in base 62, most significant digit first: %s", (key, env) => {
    expect(parseApiKey(key)).toEqual({ env });
  });

  test("recognises a key with one changed character as malformed", () => {
    fc.assert(
      fc.property(anyEnv, fc.nat(37), fc.nat(60), (env, position, shift) => {
        const key = generateApiKey(env);
        const at = 8 + position;
        const other = DIGITS[(DIGITS.indexOf(key[at] ?? "") + 1 + shift) % 62];
        expect(parseApiKey(key.slice(0, at) + other + key.slice(at + 1))).toBeNull();
      }),
    );
  });

  test("does not accept a live key that is renamed to a test key", () => {
    expect(parseApiKey(generateApiKey("live").replace("live", "test"))).toBeNull();
  });

  // Computed with Python's zlib.crc32 and its integers.
  test.each([
    ["sw_live_c2_0123456789ABCDEFGHIJKLMNOPQRSTUV2rZVwg", "live", 2],
    ["sw_test_c4711_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz3aHXMo", "test", 4711],
  ])("reads the cell that a key names as a hint: %s", (key, env, cell) => {
    expect(parseApiKey(key)).toEqual({ env, cell });
    expect(parseApiKey(key.replace(`c${cell}_`, ""))).toBeNull();
    expect(parseApiKey(key.replace(`c${cell}_`, `c${cell + 1}_`))).toBeNull();
    expect(parseApiKey(key.replace(`c${cell}_`, `c0${cell}_`))).toBeNull();
  });

  test("recognises anything else as malformed", () => {
    const key = generateApiKey("live");
    for (const text of ["", "sw_live_", key.slice(0, -1), `${key}0`, `${key}\n`, ` ${key}`, key.toUpperCase()]) {
      expect(parseApiKey(text)).toBeNull();
    }
    fc.assert(fc.property(fc.string(), (text) => parseApiKey(text) === null));
  });
});

describe("the stored part of a key", () => {
  test("is its SHA-256", () => {
    const key = generateApiKey("live");
    expect(hashApiKey(key)).toEqual(createHash("sha256").update(key, "utf8").digest());
  });

  test("is its beginning and its last four characters", () => {
    const key = generateApiKey("test");
    expect(apiKeyPreview(key)).toEqual({ prefix: "sw_test_", last4: key.slice(-4) });
  });
});
