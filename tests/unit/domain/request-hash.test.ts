import { createSecretKey } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { GivenTime } from "#domain/fire-time.ts";
import type { OriginalRepeat, OriginalRequest } from "#domain/request-fields.ts";
import { repeatHash, requestHash } from "#domain/request-hash.ts";

const key = Buffer.alloc(32, 1);
const request: OriginalRequest = {
  targetUrl: "https://example.com/hook",
  method: "POST",
  time: { atMs: 1_767_225_600_000 },
  headers: [
    ["Content-Type", "application/json"],
    ["X-Tenant", "Acme"],
  ],
  payload: '{"a":1}',
  earlyFire: null,
};

/** The hash, for a target that is delivered as it is written. */
const hex = (changed: Partial<OriginalRequest> = {}) => {
  const whole = { ...request, ...changed };
  return requestHash(key, whole, whole.targetUrl).toString("hex");
};

const local = (change: Partial<Extract<GivenTime, { zone: string }>> = {}): GivenTime => ({
  local: { year: 2031, month: 1, day: 1, hour: 9, minute: 0, second: 0 },
  ms: 0,
  zone: "Europe/Berlin",
  onClockChange: "first",
  ...change,
});

const anyRequest: fc.Arbitrary<OriginalRequest> = fc.record({
  targetUrl: fc.string({ maxLength: 3 }),
  method: fc.constantFrom("GET", "POST"),
  time: fc.option(fc.oneof(fc.record({ atMs: fc.nat(20) }), fc.record({ inMs: fc.nat(20) }))),
  headers: fc.uniqueArray(
    fc.tuple(
      fc.constantFrom("a", "b", "ab"),
      fc.string({ maxLength: 3 }).map((text) => text.trim()),
    ),
    {
      selector: ([name]) => name,
    },
  ),
  payload: fc.option(fc.string({ minLength: 1, maxLength: 3 })),
  earlyFire: fc.option(fc.boolean()),
});

describe("the hash of a request", () => {
  test("is the same 32 bytes for the same request, whether the key is raw or a key object", () => {
    expect(hex()).toHaveLength(64);
    expect(hex()).toBe(hex());
    expect(requestHash(createSecretKey(key), request, request.targetUrl).toString("hex")).toBe(hex());
  });

  test("cannot be computed without the key", () => {
    const other = requestHash(Buffer.alloc(32, 2), request, request.targetUrl);
    expect(other.toString("hex")).not.toBe(hex());
  });

  test("stays the same from release to release, because it is compared with stored ones", () => {
    expect(hex()).toBe("882a119a8721b448c3bd359bc70e50a30980bf4f497406d1269e4811ddb930f5");
    expect(hex({ time: null })).toBe("1ef84def7fa618722388c24f9d9cda7fc1b5d5bf51b020502d896335a4889b6c");
  });

  test.each<Partial<OriginalRequest>>([
    { targetUrl: "HTTPS://Example.com:443/hook#top" },
    {
      headers: [
        ["Content-Type", "application/json"],
        ["X-Tenant", " Acme\t"],
      ],
    },
  ])("counts target and headers as they are delivered: %j", (changed) => {
    expect(requestHash(key, { ...request, ...changed }, request.targetUrl).toString("hex")).toBe(hex());
  });

  test("of a refused target counts it as it is written", () => {
    expect(requestHash(key, request, null).toString("hex")).toBe(hex());
  });

  test.each<Partial<OriginalRequest>>([
    { targetUrl: "https://example.com/Hook" },
    { method: "PUT" },
    { time: { atMs: 1_767_225_600_001 } },
    { time: { inMs: 1_767_225_600_000 } },
    { time: null },
    { time: local() },
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

  test("differs by time, zone and rule of a local time, and by the length of a wait", () => {
    const all = [
      ...[local(), local({ ms: 1 }), local({ zone: "Europe/Paris" }), local({ onClockChange: "second" })],
      ...[local({ onClockChange: "refuse" }), { inMs: 1_000 }, { inMs: 1_001 }],
    ].map((time) => hex({ time }));
    expect(new Set(all).size).toBe(all.length);
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
        expect(hex(a) === hex(b)).toBe(folded(a) === folded(b));
      }),
    );
    expect(hex({ headers: [["a", "bc"]] })).not.toBe(hex({ headers: [["ab", "c"]] }));
    expect(hex({ payload: "x1:a1:b", headers: [] })).not.toBe(hex({ payload: "x", headers: [["a", "b"]] }));
  });
});

describe("the hash of a replay or clone", () => {
  const repeat: OriginalRepeat = {
    of: "a",
    time: { atMs: 1 },
    payload: "p",
    headers: [["A", "1"]],
    targetUrl: null,
  };
  const repeatHex = (changed: object = {}) => repeatHash(key, { ...repeat, ...changed }).toString("hex");

  test("is the same 32 bytes for the same repetition, in any letter case of header names", () => {
    expect(repeatHex()).toHaveLength(64);
    expect(repeatHex({ headers: [["a", "1"]] })).toBe(repeatHex());
  });

  test("counts headers as they are delivered, and stays the same from release to release", () => {
    expect(repeatHex()).toBe("b439b3e2bf52fb2f53c1576c7ed6e17327379603cefcf3bd5c5a41c358c594d3");
    expect(repeatHex({ headers: [["A", " 1"]] })).toBe(repeatHex());
  });

  test("differs by schedule, time, payload and headers, and so do a replay and a clone without changes", () => {
    const all = [
      repeatHex(),
      repeatHex({ of: "b" }),
      repeatHex({ time: null }),
      repeatHex({ time: { inMs: 1 } }),
      repeatHex({ time: local() }),
      repeatHex({ payload: "" }),
      repeatHex({ payload: null, headers: null }),
      repeatHex({ payload: "", headers: null }),
      repeatHex({ payload: "", headers: [] }),
      repeatHex({ headers: [["A", "2"]] }),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});
