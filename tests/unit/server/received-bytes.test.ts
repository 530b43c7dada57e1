import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ReceivedBytes } from "#server/http/received-bytes.ts";
import { Utf8Check } from "#server/http/utf8-check.ts";

const pieces = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 });
const largePieces = fc.array(fc.integer({ min: 0, max: 9_000 }).map((size) => new Uint8Array(size).fill(size)));

describe("the bytes of a body", () => {
  it("are those of its pieces, whichever part of them is read", () => {
    fc.assert(
      fc.property(fc.oneof(pieces, largePieces), fc.nat(), fc.nat(), (parts, a, b) => {
        const received = new ReceivedBytes();
        // A piece may be kept without being copied, so each has memory of its own.
        for (const part of parts) received.add(Uint8Array.from(part));
        const all = Buffer.concat(parts);
        expect(received.length).toBe(all.length);
        const [from = 0, to = 0] = [a % (all.length + 1), b % (all.length + 9)].sort((x, y) => x - y);
        expect(received.slice(from, to).equals(all.subarray(from, to))).toBe(true);
      }),
    );
  });

  it("take few pieces of memory even when they arrive one by one", () => {
    const received = new ReceivedBytes();
    const bytes = Buffer.alloc(1_000_000, "abc");
    for (let at = 0; at < bytes.length; at++) received.add(bytes.subarray(at, at + 1));
    expect(received.pieceCount).toBeLessThan(40);
    expect(received.slice(0, bytes.length).equals(bytes)).toBe(true);
  });

  it("stay readable behind the place up to which they were forgotten", () => {
    fc.assert(
      fc.property(fc.oneof(pieces, largePieces), fc.array(fc.nat(), { maxLength: 5 }), (parts, places) => {
        const received = new ReceivedBytes();
        for (const part of parts) received.add(Uint8Array.from(part));
        const all = Buffer.concat(parts);
        for (const place of places.map((one) => one % (all.length + 1)).sort((x, y) => x - y)) {
          received.forget(place);
          expect(received.slice(place, all.length).equals(all.subarray(place))).toBe(true);
        }
      }),
    );
  });

  it("do not keep the large buffer of which they are a small part", () => {
    const received = new ReceivedBytes();
    received.add(new Uint8Array(1_000_000).subarray(0, 10));
    expect(received.slice(0, 10).buffer.byteLength).toBeLessThan(10_000);
  });
});

describe("the check for UTF-8", () => {
  it("accepts exactly the texts that a strict decoder accepts, however they are cut into pieces", () => {
    const text = fc.string({ unit: "grapheme" }).map((one) => Buffer.from(one));
    const damaged = fc.tuple(text, fc.nat(), fc.uint8Array({ maxLength: 3 })).map(([bytes, at, inserted]) => {
      const from = at % (bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, from), inserted, bytes.subarray(from + 1)]);
    });
    fc.assert(
      fc.property(fc.oneof(text, damaged, fc.uint8Array()), fc.integer({ min: 1, max: 5 }), (bytes, step) => {
        const check = new Utf8Check();
        let isValid = true;
        for (let from = 0; from < bytes.length; from += step) isValid &&= check.push(bytes.subarray(from, from + step));
        expect(isValid && check.end()).toBe(isDecodable(bytes));
      }),
      { numRuns: 2_000 },
    );
  });
});

function isDecodable(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
