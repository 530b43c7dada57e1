import { createSecretKey } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type OriginalRequest, repeatHash, requestHash } from "#domain/request-hash.ts";

const key = Buffer.alloc(32, 1);
const request: OriginalRequest = {
  targetUrl: "https://example.com/hook",
  method: "POST",
  fireAtMs: 1_767_225_600_000,
  headers: [
    ["Content-Type", "application/json"],
    ["X-Tenant", "Acme"],
  ],
  payload: '{"a":1}',
  earlyFire: null,
};
const hex = (changed: Partial<OriginalRequest> = {}) => requestHash(key, { ...request, ...changed }).toString("hex");

const anyRequest: fc.Arbitrary<OriginalRequest> = fc.record({
  targetUrl: fc.string({ maxLength: 3 }),
  method: fc.constantFrom("GET", "POST"),
  fireAtMs: fc.option(fc.nat(20)),
  headers: fc.uniqueArray(fc.tuple(fc.constantFrom("a", "b", "ab"), fc.string({ maxLength: 3 })), {
    selector: ([name]) => name,
  }),
  payload: fc.option(fc.string({ minLength: 1, maxLength: 3 })),
  earlyFire: fc.option(fc.boolean()),
});

describe("requestHash", () => {
  test("returns the same 32 bytes for the same request, whether the key is raw or a key object", () => {
    expect(hex()).toHaveLength(64);
    expect(hex()).toBe(hex());
    expect(requestHash(createSecretKey(key), request).toString("hex")).toBe(hex());
  });

  test("cannot be computed without the key", () => {
    expect(requestHash(Buffer.alloc(32, 2), request).toString("hex")).not.toBe(hex());
  });

  test.each<Partial<OriginalRequest>>([
    { targetUrl: "https://example.com/Hook" },
    { method: "PUT" },
    { fireAtMs: 1_767_225_600_001 },
    { fireAtMs: null },
    { headers: [] },
    { headers: [["Content-Type", "application/json"]] },
    {
      headers: [
        ["Content-Type", "application/json"],
        ["X-Tenant", "acme"],
      ],
    },
    { payload: null },
    { payload: '{"a":1} ' },
    { earlyFire: false },
    { earlyFire: true },
  ])("differs for a request that differs in %j", (changed) => {
    expect(hex(changed)).not.toBe(hex());
  });

  test("does not depend on the order or the letter case of header names", () => {
    const headers: OriginalRequest["headers"] = [
      ["x-tenant", "Acme"],
      ["CONTENT-TYPE", "application/json"],
    ];
    expect(hex({ headers })).toBe(hex());
    expect(headers[0]).toEqual(["x-tenant", "Acme"]);
  });

  test("is the same for an empty payload and for none", () => {
    expect(hex({ payload: "" })).toBe(hex({ payload: null }));
  });

  test("is the same only when all fields agree: characters cannot move from one field to another", () => {
    const folded = ({ headers, ...rest }: OriginalRequest) =>
      JSON.stringify({ ...rest, headers: headers.toSorted(([a], [b]) => (a < b ? -1 : 1)) });
    fc.assert(
      fc.property(anyRequest, anyRequest, (a, b) => {
        expect(requestHash(key, a).equals(requestHash(key, b))).toBe(folded(a) === folded(b));
      }),
    );
    expect(hex({ headers: [["a", "bc"]] })).not.toBe(hex({ headers: [["ab", "c"]] }));
    expect(hex({ payload: "x1:a1:b", headers: [] })).not.toBe(hex({ payload: "x", headers: [["a", "b"]] }));
  });
});

describe("repeatHash", () => {
  const repeat = { of: "a", fireAtMs: 1, payload: "p", headers: [["A", "1"]] as [string, string][] };
  const repeatHex = (changed: object = {}) => repeatHash(key, { ...repeat, ...changed }).toString("hex");

  test("returns the same 32 bytes for the same repetition, in any letter case of header names", () => {
    expect(repeatHex()).toHaveLength(64);
    expect(repeatHex({ headers: [["a", "1"]] })).toBe(repeatHex());
  });

  test("differs by schedule, instant, payload and headers, and so do a replay and a clone without changes", () => {
    const all = [
      repeatHex(),
      repeatHex({ of: "b" }),
      repeatHex({ fireAtMs: null }),
      repeatHex({ payload: "" }),
      repeatHex({ payload: null, headers: null }),
      repeatHex({ payload: "", headers: null }),
      repeatHex({ payload: "", headers: [] }),
      repeatHex({ headers: [["A", "2"]] }),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});
