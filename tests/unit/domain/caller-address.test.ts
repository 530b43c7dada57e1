import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callerAddress, callerNetwork, maskedNetwork, parseTrustedProxies } from "#domain/caller-address.ts";

const PROXIES = parseTrustedProxies("10.0.0.0/8, 127.0.0.1 ,fd00::/8");

describe("the address of a caller", () => {
  it("is the socket's when no proxy is trusted, whatever X-Forwarded-For says", () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (socket, forwarded) => {
        expect(callerAddress(socket, forwarded, [])).toBe(socket);
      }),
    );
  });

  it("is the socket's when the socket is no trusted proxy", () => {
    expect(callerAddress("203.0.113.7", "198.51.100.1", PROXIES)).toBe("203.0.113.7");
  });

  it("cannot be chosen by a caller behind a trusted proxy", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string())), (forged) => {
        expect(callerAddress("10.0.0.1", [...forged, "203.0.113.7"].join(", "), PROXIES)).toBe("203.0.113.7");
      }),
    );
  });

  it.each([
    ["10.0.0.1", null, "10.0.0.1"],
    ["10.0.0.1", "", "10.0.0.1"],
    ["10.0.0.1", "203.0.113.7", "203.0.113.7"],
    ["::ffff:10.0.0.1", "203.0.113.7", "203.0.113.7"],
    ["::ffff:a00:1", "203.0.113.7", "203.0.113.7"],
    ["10.0.0.1", "::ffff:203.0.113.7", "203.0.113.7"],
    ["10.0.0.1", "[::FFFF:cb00:7107]:4711", "203.0.113.7"],
    ["10.0.0.1", "0:0:0:0:0:ffff:cb00:7107", "203.0.113.7"],
    ["10.0.0.1", "::ffff:0:cb00:7107", "::ffff:0:cb00:7107"],
    ["fd00::1", "2001:db8::7", "2001:db8::7"],
    ["10.0.0.1", "203.0.113.7, 10.0.0.9,127.0.0.1", "203.0.113.7"],
    ["10.0.0.1", "10.0.0.9", "10.0.0.9"],
    ["10.0.0.1", "203.0.113.7:4711", "203.0.113.7"],
    ["10.0.0.1", "[2001:db8::7]:4711", "2001:db8::7"],
    ["10.0.0.1", "[2001:db8::7]", "2001:db8::7"],
    ["10.0.0.1", "203.0.113.7, unknown", "10.0.0.1"],
    ["10.0.0.1", "203.0.113.7, 0xa.1", "10.0.0.1"],
    ["10.0.0.1", "203.0.113.0/24", "10.0.0.1"],
    ["fe80::1%eth0", null, "fe80::1"],
    ["", null, null],
    ["nonsense", "203.0.113.7", null],
  ])("with socket %j and X-Forwarded-For %j is %j", (socket, forwarded, expected) => {
    expect(callerAddress(socket, forwarded, PROXIES)).toBe(expected);
  });
});

describe("the header of the operator's platform", () => {
  it.each([
    ["10.0.0.1", "203.0.113.7", "203.0.113.7"],
    ["10.0.0.1", "198.51.100.1, 203.0.113.7:4711", "203.0.113.7"],
    ["10.0.0.1", "unknown", "10.0.0.9"],
    ["10.0.0.1", null, "10.0.0.9"],
    ["198.51.100.2", "203.0.113.7", "198.51.100.2"],
    ["", "203.0.113.7", null],
    [null, "203.0.113.7", "203.0.113.7"],
    [null, "unknown", null],
    [null, null, null],
  ])(
    "counts from a trusted proxy, and where there is no socket: with socket %j and %j it is %j",
    (socket, named, expected) => {
      expect(callerAddress(socket, "10.0.0.9", PROXIES, named)).toBe(expected);
    },
  );
});

describe("the key that callers are counted by", () => {
  it("is the address for IPv4 and the /64 for IPv6", () => {
    expect(callerNetwork("203.0.113.7")).toBe("203.0.113.7");
    expect(callerNetwork("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64");
    expect(callerNetwork("2001:db8:1:2::")).toBe(callerNetwork("2001:db8:1:2:ffff:ffff:ffff:ffff"));
    expect(callerNetwork("2001:db8:1:3::1")).not.toBe(callerNetwork("2001:db8:1:2::1"));
  });
});

it("the security log keeps the /24 of an IPv4 address and the /48 of an IPv6 address", () => {
  expect(maskedNetwork("203.0.113.77")).toBe("203.0.113.0/24");
  expect(maskedNetwork("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1::/48");
});

it("a proxy that is trusted by its IPv4-mapped address is trusted by its IPv4 address", () => {
  const proxies = parseTrustedProxies("::ffff:10.0.0.1, ::ffff:c0a8:0/112");
  for (const socket of ["10.0.0.1", "::ffff:10.0.0.1", "192.168.9.9"]) {
    expect(callerAddress(socket, "203.0.113.7", proxies)).toBe("203.0.113.7");
  }
  expect(callerAddress("192.169.0.1", "203.0.113.7", proxies)).toBe("192.169.0.1");
});

it("a TRUSTED_PROXIES entry that is neither an address nor a range is named in the error", () => {
  expect(() => parseTrustedProxies("10.0.0.0/8,nginx")).toThrow('expected addresses and CIDR ranges, got "nginx"');
  expect(parseTrustedProxies(" , ")).toEqual([]);
});
