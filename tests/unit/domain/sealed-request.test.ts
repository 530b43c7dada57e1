import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type HeaderPairs, packRequest, unpackRequest } from "#domain/sealed-request.ts";

const anyText = fc.string({ unit: "binary" });
const anyHeaders = fc.array(fc.tuple(fc.string(), fc.string()), { maxLength: 5 }) as fc.Arbitrary<HeaderPairs>;

describe("packRequest", () => {
  test("headers and payload come back in order and byte for byte", () => {
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

  test("NUL, other controls and what looks like a header survive in a payload", () => {
    const payload = '\u0000\u0001\r\n[["a","b"]]\u0000é😀\u0000';
    const packed = packRequest({ headers: [["A", '"\\']], payload }) ?? Buffer.of();
    expect(unpackRequest(packed)).toEqual({ headers: [["A", '"\\']], payload: Buffer.from(payload) });
  });

  test("nothing is packed when there are neither headers nor payload, an empty payload being none", () => {
    expect(packRequest({ headers: [], payload: null })).toBeNull();
    expect(packRequest({ headers: [], payload: "" })).toBeNull();
  });

  test("headers without a payload give an empty payload", () => {
    const packed = packRequest({ headers: [["A", ""]], payload: null }) ?? Buffer.of();
    expect(unpackRequest(packed)).toEqual({ headers: [["A", ""]], payload: Buffer.of() });
  });
});

describe("unpackRequest", () => {
  test("the payload is a view, not a copy", () => {
    const packed = packRequest({ headers: [["A", "b"]], payload: "x" }) ?? Buffer.of();
    const { payload } = unpackRequest(packed);
    packed.write("y", packed.length - 1);
    expect(payload.toString()).toBe("y");
  });

  test("bytes that are cut off are refused", () => {
    const packed = packRequest({ headers: [["A", "b"]], payload: null }) ?? Buffer.of();
    for (let length = 0; length < packed.length; length++) {
      expect(() => unpackRequest(packed.subarray(0, length))).toThrow(RangeError);
    }
  });
});
