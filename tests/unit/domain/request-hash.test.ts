import { createSecretKey } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { GivenTime } from "#domain/fire-time.ts";
import { type OriginalRepeat, type OriginalRequest, repeatHashes, requestHashes } from "#domain/request-hash.ts";

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

/** The hashes, for a target that is delivered as it is written. */
const hashes = (changed: Partial<OriginalRequest> = {}) => {
  const whole = { ...request, ...changed };
  return requestHashes(key, whole, whole.targetUrl);
};
const hex = (changed: Partial<OriginalRequest> = {}) => hashes(changed).current.toString("hex");

const local = (change: Partial<Extract<GivenTime, { zone: string }>> = {}): GivenTime => ({
  local: { year: 2031, month: 1, day: 1, hour: 9, minute: 0, second: 0 },
  ...{ ms: 0, zone: "Europe/Berlin", onClockChange: "first" },
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
    expect(requestHashes(createSecretKey(key), request, request.targetUrl).current.toString("hex")).toBe(hex());
  });

  test("cannot be computed without the key", () => {
    const other = requestHashes(Buffer.alloc(32, 2), request, request.targetUrl);
    expect(other.current.toString("hex")).not.toBe(hex());
  });

  // Made by the version before this one: what it has stored must go on to compare as before.
  test("of an instant, a target and headers that are delivered as they are written is that of earlier versions", () => {
    expect(hashes()).toEqual({
      current: Buffer.from("882a119a8721b448c3bd359bc70e50a30980bf4f497406d1269e4811ddb930f5", "hex"),
      former: null,
    });
    expect(hex({ time: null })).toBe("1ef84def7fa618722388c24f9d9cda7fc1b5d5bf51b020502d896335a4889b6c");
  });

  test.each<[Partial<OriginalRequest>, string]>([
    [
      { targetUrl: "HTTPS://Example.com:443/hook#top" },
      "c783ab19187755e3037435963a434ec71da3c6e9356748cc72b36183617bd868",
    ],
    [
      {
        headers: [
          ["Content-Type", "application/json"],
          ["X-Tenant", " Acme\t"],
        ],
      },
      "87b0172a5a836a9245d26371451c60dfce6f93be9c1f60f4ca68bf7827d6e454",
    ],
  ])("counts target and headers as they are delivered, beside the hash of earlier versions: %j", (changed, former) => {
    const both = requestHashes(key, { ...request, ...changed }, request.targetUrl);
    expect(both).toEqual({ current: hashes().current, former: Buffer.from(former, "hex") });
  });

  test("of a refused target counts it as it is written", () => {
    expect(requestHashes(key, request, null)).toEqual(hashes());
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
  const repeat: OriginalRepeat = { of: "a", time: { atMs: 1 }, payload: "p", headers: [["A", "1"]] };
  const repeatHex = (changed: object = {}) => repeatHashes(key, { ...repeat, ...changed }).current.toString("hex");

  test("is the same 32 bytes for the same repetition, in any letter case of header names", () => {
    expect(repeatHex()).toHaveLength(64);
    expect(repeatHex({ headers: [["a", "1"]] })).toBe(repeatHex());
  });

  test("is that of earlier versions, and beside it theirs where headers are delivered otherwise than written", () => {
    expect(repeatHashes(key, repeat)).toEqual({
      current: Buffer.from("b439b3e2bf52fb2f53c1576c7ed6e17327379603cefcf3bd5c5a41c358c594d3", "hex"),
      former: null,
    });
    expect(repeatHashes(key, { ...repeat, headers: [["A", " 1"]] })).toEqual({
      current: Buffer.from(repeatHex(), "hex"),
      former: Buffer.from("60fcc5e2cc215a51376f36ae248db04993bcc58b84f6287f360ae5445f17d2ed", "hex"),
    });
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
