import { createPublicKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { rootCertificates } from "node:tls";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { verificationMs } from "#domain/certificate-cost.ts";
import { certificateChain, cheapPair, type Pair } from "#tests/helpers/certificate-chain.ts";

const curve = (namedCurve: string): Pair => generateKeyPairSync("ec", { namedCurve });
const rsa = (modulusLength: number): Pair => generateKeyPairSync("rsa", { modulusLength });
const leaf = cheapPair();

/** An RSA key whose exponent is as long as a modulus. Nothing is signed with it. */
function withLongExponent(): Pair {
  const pair = rsa(2_048);
  const { n } = pair.publicKey.export({ format: "jwk" });
  return { ...pair, publicKey: createPublicKey({ key: { kty: "RSA", n, e: n }, format: "jwk" }) };
}

describe("the time that certificates take to verify", () => {
  it("of an ordinary chain is a few milliseconds at most", () => {
    expect(verificationMs(certificateChain(leaf, rsa(2_048), 3))).toBeLessThan(3);
    expect(verificationMs(certificateChain(leaf, curve("P-384"), 3))).toBeLessThan(5);
  });

  it("of each root that Node.js brings is known", () => {
    const times = rootCertificates.map((pem) => verificationMs([new X509Certificate(pem).raw]));
    expect(Math.max(...times)).toBeLessThan(3);
  });

  it("grows with each certificate", () => {
    const pair = curve("P-521");
    const times = [1, 5, 50].map((count) => verificationMs(certificateChain(leaf, pair, count)));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[2]).toBeGreaterThan(100);
  });

  it.each<[string, () => Pair]>([
    ["a curve over a binary field", () => curve("sect571r1")],
    ["a curve that is not listed", () => curve("secp224r1")],
    ["an RSA exponent as long as its modulus", withLongExponent],
    ["DSA", () => generateKeyPairSync("dsa", { modulusLength: 1_024, divisorLength: 160 })],
  ])("is without bound for %s, wherever it stands in the chain", (_, pairOf) => {
    const pair = pairOf();
    const [, first, last] = certificateChain(leaf, { ...pair, privateKey: leaf.privateKey }, 2) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    const [ordinary] = certificateChain(leaf, leaf, 0) as [Buffer];
    expect(verificationMs([ordinary])).toBeLessThan(1);
    expect(verificationMs([ordinary, first])).toBe(Number.POSITIVE_INFINITY);
    expect(verificationMs([last, ordinary])).toBe(Number.POSITIVE_INFINITY);
  });

  it("counts that each name is compared with each name constraint", () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => `host-${n}.example.com`);
    const chain = (names: number, excluded: number) =>
      verificationMs(
        certificateChain(leaf, leaf, 3, { leaf: { names: many(names) }, each: { excluded: many(excluded) } }),
      );
    expect(chain(1_000, 0)).toBeLessThan(1);
    expect(chain(1, 300)).toBeLessThan(5);
    expect(chain(1_000, 300)).toBeGreaterThan(100);
  });

  it("is a number, or the bytes are refused", () => {
    const [der] = certificateChain(leaf, leaf, 0) as [Buffer];
    const changed = fc.array(fc.tuple(fc.nat(der.length - 1), fc.nat(255)), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(changed, fc.nat(der.length), (changes, length) => {
        const bytes = Buffer.from(der);
        for (const [at, byte] of changes) bytes[at] = byte;
        for (const one of [bytes, bytes.subarray(0, length)]) {
          try {
            expect(verificationMs([one])).toBeGreaterThanOrEqual(0);
          } catch (error) {
            expect(error).toBeInstanceOf(RangeError);
          }
        }
      }),
    );
  });
});
