import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formerRequestAad } from "#domain/associated-data.ts";
import { DecryptionError, parseKeyRing, seal } from "#domain/cipher.ts";
import {
  type HeaderPairs,
  isBoundToTarget,
  openRequest,
  packRequest,
  sealRequest,
  unpackRequest,
} from "#domain/sealed-request.ts";

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
  const to = { id: "0190-a", method: "POST", targetUrl: "https://example.com/a" };
  const packed = packRequest({ headers: [["X-A", "b"]], payload: "hello" }) as Buffer;
  const former = seal(ring, packed, formerRequestAad(to.id));

  test("opens for its schedule, method and target", () => {
    const sealed = sealRequest(ring, packed, to);
    expect(openRequest(ring, sealed, to)).toEqual(packed);
    expect([isBoundToTarget(sealed), isBoundToTarget(sealed.subarray(0, 1))]).toEqual([true, true]);
  });

  test.each([{ id: "0190-b" }, { method: "PUT" }, { targetUrl: "https://example.com/b" }, { targetUrl: "" }])(
    "does not open for another schedule, method or target: %j",
    (other) => {
      expect(() => openRequest(ring, sealRequest(ring, packed, to), { ...to, ...other })).toThrow(DecryptionError);
    },
  );

  test("in the former format, bound to its schedule alone, still opens for that schedule", () => {
    expect(openRequest(ring, former, { ...to, targetUrl: "https://example.com/b" })).toEqual(packed);
    expect(isBoundToTarget(former)).toBe(false);
    expect(() => openRequest(ring, former, { ...to, id: "0190-b" })).toThrow(DecryptionError);
  });

  test("does not open when its format byte is changed", () => {
    const sealed = sealRequest(ring, packed, to);
    const asFormer = Buffer.concat([Buffer.of(1), sealed.subarray(1)]);
    const asBound = Buffer.concat([Buffer.of(2), former.subarray(1)]);
    expect(() => openRequest(ring, asFormer, to)).toThrow(DecryptionError);
    expect(() => openRequest(ring, asBound, to)).toThrow(DecryptionError);
  });
});
