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
  test("the same request gives the same 32 bytes, whether the key is raw or a key object", () => {
    expect(hex()).toHaveLength(64);
    expect(hex()).toBe(hex());
    expect(requestHash(createSecretKey(key), request).toString("hex")).toBe(hex());
  });

  test("it cannot be computed without the key", () => {
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
  ])("a request that differs in %j has another hash", (changed) => {
    expect(hex(changed)).not.toBe(hex());
  });

  test("neither the order nor the letter case of header names matters", () => {
    const headers: OriginalRequest["headers"] = [
      ["x-tenant", "Acme"],
      ["CONTENT-TYPE", "application/json"],
    ];
    expect(hex({ headers })).toBe(hex());
    expect(headers[0]).toEqual(["x-tenant", "Acme"]);
  });

  test("an empty payload is the same request as none", () => {
    expect(hex({ payload: "" })).toBe(hex({ payload: null }));
  });

  test("fields cannot trade characters: two requests agree only when all their fields do", () => {
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

  test("the same repetition gives the same 32 bytes, whatever the case of header names", () => {
    expect(repeatHex()).toHaveLength(64);
    expect(repeatHex({ headers: [["a", "1"]] })).toBe(repeatHex());
  });

  test("tells schedule, instant, payload, headers, and a replay from a clone with nothing", () => {
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
