import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Destination } from "#domain/associated-data.ts";
import { DecryptionError, parseKeyRing, seal } from "#domain/cipher.ts";
import type { HeaderPairs } from "#domain/headers.ts";
import { newId } from "#domain/ids.ts";
import { openRequest, packRequest, sealRequest, unpackRequest } from "#domain/sealed-request.ts";

const anyText = fc.string({ unit: "binary" });
const anyHeaders = fc.array(fc.tuple(fc.string(), fc.string()), { maxLength: 5 }) as fc.Arbitrary<HeaderPairs>;

describe("packRequest", () => {
  test("keeps the order of headers and every byte of the payload", () => {
    fc.assert(
      fc.property(anyHeaders, anyText, (headers, payload) => {
        fc.pre(headers.length > 0 || payload !== "");
        const packed = packRequest({ headers, payload }) ?? Buffer.of();
        const unpacked = unpackRequest(packed);
        expect(unpacked.headers).toEqual(headers);
        expect(unpacked.payload.equals(Buffer.from(payload))).toBe(true);
      }),
    );
  });

  test("keeps NUL, other control characters and text that looks like a header in a payload", () => {
    const payload = '\u0000\u0001\r\n[["a","b"]]\u0000é😀\u0000';
    const packed = packRequest({ headers: [["A", '"\\']], payload }) ?? Buffer.of();
    expect(unpackRequest(packed)).toEqual({ headers: [["A", '"\\']], payload: Buffer.from(payload) });
  });

  test("packs nothing when there are no headers and the payload is empty or absent", () => {
    expect(packRequest({ headers: [], payload: null })).toBeNull();
    expect(packRequest({ headers: [], payload: "" })).toBeNull();
  });

  test("gives an empty payload to headers without a payload", () => {
    const packed = packRequest({ headers: [["A", ""]], payload: null }) ?? Buffer.of();
    expect(unpackRequest(packed)).toEqual({ headers: [["A", ""]], payload: Buffer.of() });
  });
});

describe("unpackRequest", () => {
  test("returns the payload as a view and not as a copy", () => {
    const packed = packRequest({ headers: [["A", "b"]], payload: "x" }) ?? Buffer.of();
    const { payload } = unpackRequest(packed);
    packed.write("y", packed.length - 1);
    expect(payload.toString()).toBe("y");
  });

  test("refuses bytes that were cut off", () => {
    const packed = packRequest({ headers: [["A", "b"]], payload: null }) ?? Buffer.of();
    for (let length = 0; length < packed.length; length++) {
      expect(() => unpackRequest(packed.subarray(0, length))).toThrow(RangeError);
    }
  });
});

describe("a sealed request", () => {
  const ring = parseKeyRing(`a:${Buffer.alloc(32, 1).toString("base64")}`);
  const [id, accountId, another] = [newId(1), newId(2), newId(3)] as const;
  const to: Destination = { accountId, env: "live", id, method: "POST", targetUrl: "https://example.com/a" };
  const packed = packRequest({ headers: [["X-A", "b"]], payload: "hello" }) as Buffer;

  test("opens for its account, environment, schedule, method and target", () => {
    expect(openRequest(ring, sealRequest(ring, packed, to), to)).toEqual(packed);
  });

  test.each<Partial<Destination>>([
    { accountId: another },
    { env: "test" },
    { id: another },
    { method: "PUT" },
    { targetUrl: "https://example.com/b" },
    { targetUrl: "" },
    { accountId: id, id: accountId },
  ])("does not open for another account, environment, schedule, method or target: %j", (other) => {
    expect(() => openRequest(ring, sealRequest(ring, packed, to), { ...to, ...other })).toThrow(DecryptionError);
  });

  test.each([`schedule:${id}`, `request:${id}:POST:${to.targetUrl}`])(
    "does not open when it was sealed with other associated data, whatever its first byte says: %s",
    (aad) => {
      const sealed = seal(ring, packed, aad);
      for (const format of [0, 1, 2, 3])
        expect(() => openRequest(ring, Buffer.concat([Buffer.of(format), sealed.subarray(1)]), to)).toThrow(
          DecryptionError,
        );
    },
  );
});
