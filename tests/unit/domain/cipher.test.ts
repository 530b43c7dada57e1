import { createDecipheriv } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DecryptionError, generateEncryptionKey, open, parseKeyRing, seal, sealedKeyId } from "#domain/cipher.ts";

const KEY_A = generateEncryptionKey();
const KEY_B = generateEncryptionKey();
const ring = parseKeyRing(`a:${KEY_A}`);
const rotated = parseKeyRing(`b:${KEY_B},a:${KEY_A}`);
const anyBytes = fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes));

function failure(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
}

describe("a sealed value", () => {
  test("opens to the same bytes", () => {
    fc.assert(
      fc.property(anyBytes, fc.string(), (plaintext, aad) => {
        expect(open(ring, seal(ring, plaintext, aad), aad)).toEqual(plaintext);
      }),
    );
  });

  test("is version, key id, nonce, ciphertext and tag of plain AES-256-GCM", () => {
    const sealed = seal(ring, Buffer.from("hello"), "sch_1");
    expect(sealed.length).toBe(3 + 12 + 5 + 16);
    expect(sealed.subarray(0, 3)).toEqual(Buffer.from([1, 1, "a".charCodeAt(0)]));
    const decipher = createDecipheriv("aes-256-gcm", Buffer.from(KEY_A, "base64"), sealed.subarray(3, 15));
    decipher.setAAD(Buffer.from("sch_1")).setAuthTag(sealed.subarray(-16));
    expect(decipher.update(sealed.subarray(15, -16), undefined, "utf8") + decipher.final("utf8")).toBe("hello");
  });

  test("never repeats a nonce", () => {
    const nonces = Array.from({ length: 1_000 }, () => seal(ring, Buffer.of(), "").toString("hex", 3, 15));
    expect(new Set(nonces).size).toBe(1_000);
  });

  test("of one schedule does not open as another's", () => {
    const sealed = seal(ring, Buffer.from("hello"), "sch_1");
    expect(failure(() => open(ring, sealed, "sch_2"))).toMatchObject({ reason: "corrupted" });
  });

  test("does not open when any single bit is flipped", () => {
    const sealed = seal(ring, Buffer.from("hello"), "sch_1");
    fc.assert(
      fc.property(fc.nat(sealed.length * 8 - 1), (bit) => {
        const damaged = Buffer.from(sealed);
        damaged.writeUInt8(damaged.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        expect(failure(() => open(ring, damaged, "sch_1"))).toBeInstanceOf(DecryptionError);
      }),
    );
  });

  test("that is malformed is refused as damaged or as of an unknown key, and in no other way", () => {
    const sealed = seal(ring, Buffer.from("hello"), "sch_1");
    for (let length = 0; length < sealed.length; length++) {
      expect(failure(() => open(ring, sealed.subarray(0, length), "sch_1"))).toMatchObject({ reason: "corrupted" });
    }
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(failure(() => open(ring, bytes, "sch_1"))).toBeInstanceOf(DecryptionError);
      }),
    );
  });

  test("of the old key still opens after a rotation, and new values use the new key", () => {
    const old = seal(ring, Buffer.from("hello"), "sch_1");
    const fresh = seal(rotated, Buffer.from("hello"), "sch_1");
    expect([sealedKeyId(old), sealedKeyId(fresh)]).toEqual(["a", "b"]);
    expect(open(rotated, old, "sch_1").toString()).toBe("hello");
    expect(failure(() => open(ring, fresh, "sch_1"))).toMatchObject({
      reason: "unknown-key",
      message: expect.stringContaining('"b"'),
    });
  });

  test("of another installation's key with the same id is refused as damaged", () => {
    const other = parseKeyRing(`a:${KEY_B}`);
    expect(failure(() => open(other, seal(ring, Buffer.from("x"), ""), ""))).toMatchObject({ reason: "corrupted" });
  });
});

describe("parseKeyRing", () => {
  test("seals with the first key, and ignores spaces around entries", () => {
    const read = parseKeyRing(` 2026-02:${KEY_B} , ${"x".repeat(32)}:${KEY_A}\n`);
    expect(read.writer).toBe("2026-02");
    expect([...read.keys.keys()]).toEqual(["2026-02", "x".repeat(32)]);
  });

  test("accepts a generated key, which has 32 bytes", () => {
    expect(Buffer.from(generateEncryptionKey(), "base64").length).toBe(32);
    expect(generateEncryptionKey()).not.toBe(generateEncryptionKey());
  });

  const short = Buffer.alloc(31, 7).toString("base64");
  test.each([
    ["", "entry 1 is not one id and one key"],
    [KEY_A, "entry 1 is not one id and one key"],
    [`a:${KEY_A},`, "entry 2 is not one id and one key"],
    [`a:b:${KEY_A}`, "entry 1 is not one id and one key"],
    [`:${KEY_A}`, "entry 1 has an id that is not 1 to 32 characters"],
    [`${"x".repeat(33)}:${KEY_A}`, "entry 1 has an id that is not 1 to 32 characters"],
    [`a b:${KEY_A}`, "entry 1 has an id that is not 1 to 32 characters"],
    [`${KEY_A}:a`, "entry 1 has an id that is not 1 to 32 characters"],
    ["a:", "entry 1 has a key of 0 bytes"],
    [`a:${short}`, "entry 1 has a key of 31 bytes"],
    [`a:${KEY_A.slice(0, -1)}`, "entry 1 has a key that is not base64 with its padding"],
    [`a:${KEY_A}!`, "entry 1 has a key that is not base64 with its padding"],
    [`a:${KEY_A},a:${KEY_B}`, "entry 2 has the id of an entry before it"],
  ])(
    "refuses an unusable ring with the position and the reason, and never shows any of its keys (%#)",
    (text, message) => {
      const error = failure(() => parseKeyRing(text)) as Error;
      expect(error.message).toContain(message);
      expect(error.message).toContain("expected <id>:<base64 of 32 bytes>");
      for (const secret of [KEY_A, KEY_B, short]) expect(error.message).not.toContain(secret.slice(0, 12));
    },
  );
});
