import { isIPv6 } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressesRefusedBy, isPublicAddress, judgeAddresses, parseAddressRange } from "#domain/address-policy.ts";
import { parseTargetPolicy } from "#domain/target-url.ts";
import answers from "../../vectors/resolver-answers.json" with { type: "json" };

const nothingExtra = parseTargetPolicy("", "");

describe("isPublicAddress", () => {
  it("refuses the first and last address of every special IPv4 block and accepts their public neighbours", () => {
    const blocks: [string, string, string | null, string | null][] = [
      ["0.0.0.0", "0.255.255.255", null, "1.0.0.0"],
      ["10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"],
      ["100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"],
      ["127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"],
      ["168.63.129.16", "168.63.129.16", "168.63.129.15", "168.63.129.17"],
      ["169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"],
      ["172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"],
      ["192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"],
      ["192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"],
      ["192.31.196.0", "192.31.196.255", "192.31.195.255", "192.31.197.0"],
      ["192.52.193.0", "192.52.193.255", "192.52.192.255", "192.52.194.0"],
      ["192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"],
      ["192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"],
      ["192.175.48.0", "192.175.48.255", "192.175.47.255", "192.175.49.0"],
      ["198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"],
      ["198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"],
      ["203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"],
      ["224.0.0.0", "239.255.255.255", "223.255.255.255", null],
      ["240.0.0.0", "255.255.255.255", null, null],
    ];
    for (const [first, last, before, after] of blocks) {
      expect([first, last].map(isPublicAddress), first).toEqual([false, false]);
      for (const neighbour of [before, after])
        if (neighbour !== null) expect(isPublicAddress(neighbour), neighbour).toBe(true);
    }
  });

  it("accepts IPv6 only inside 2000::/3 less its special blocks", () => {
    for (const address of [
      ...[
        "::",
        "::1",
        "::7f00:1",
        "::ffff:1.1.1.1",
        "::ffff:101:101",
        "64:ff9b::101:101",
        "64:ff9b:1::1",
        "100::1",
        "100:0:0:1::1",
      ],
      ...[
        "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "4000::",
        "5f00::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fec0::1",
        "ff02::1",
      ],
      ...["2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
      ...[
        "2002::",
        "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "2620:4f:8000::",
        "2620:4f:8000:ffff:ffff:ffff:ffff:ffff",
      ],
      ...["3ffe::", "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ]) {
      expect(isPublicAddress(address), address).toBe(false);
    }
    for (const address of [
      ...[
        "2000::",
        "2001:200::",
        "2001:db7:ffff::",
        "2001:db9::",
        "2001:ffff:ffff::",
        "2003::",
        "2620:4f:7fff::",
        "2620:4f:8001::",
      ],
      ...["3ffd:ffff::", "3fff:1000::", "3fff:ffff:ffff::", "2A00:1450:4001:81B::200E"],
    ]) {
      expect(isPublicAddress(address), address).toBe(true);
    }
  });

  it("refuses any spelling of an address but the one a resolver writes", () => {
    for (const text of [
      ...[
        "",
        " ",
        "1.1.1",
        "1.1.1.1 ",
        " 1.1.1.1",
        "1.1.1.1\n",
        "01.1.1.1",
        "0x1.1.1.1",
        "16843009",
        "1.1.1.256",
        "1.1.1.1.",
        "1.1.1.1/32",
      ],
      ...[
        "2400:cb00::1%eth0",
        "fe80::1%lo",
        "[2400:cb00::1]",
        "2400:cb00::1::1",
        "2400:cb00::1/128",
        "2400:cb00::1.2.3.4",
        "example.com",
      ],
      ...["\uff11.1.1.1", "1.1.1.1\0", "2400:cb00:::1", "2400:cb00::12345"],
    ]) {
      expect(isPublicAddress(text), JSON.stringify(text)).toBe(false);
    }
  });

  it("never accepts text that the operating system does not read as an address", () => {
    const text = fc.array(fc.constantFrom("2", "3f", "a", "0", ":", "::", "2400:", "1234", "."), { maxLength: 12 });
    fc.assert(
      fc.property(text, (pieces) => {
        const address = `2${pieces.join("")}`;
        if (isPublicAddress(address) && !/^\d+\.\d+\.\d+\.\d+$/.test(address))
          expect(isIPv6(address), address).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("never accepts an IPv4 address inside an IPv4-mapped, IPv4-compatible, NAT64 or 6to4 one", () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom("::ffff:", "::", "64:ff9b::", "::ffff:0:"), (ipv4, prefix) => {
        const [a = 0, b = 0, c = 0, d = 0] = ipv4.split(".").map(Number);
        const high = ((a << 8) | b).toString(16);
        const low = ((c << 8) | d).toString(16);
        expect(isPublicAddress(prefix + ipv4)).toBe(false);
        expect(isPublicAddress(`${prefix}${high}:${low}`)).toBe(false);
        expect(isPublicAddress(`2002:${high}:${low}::1`)).toBe(false);
      }),
    );
  });
});

const validateAddresses = (...asked: Parameters<typeof addressesRefusedBy>) => addressesRefusedBy(...asked) === null;

describe("the addresses of a name", () => {
  for (const { name, resolver_answers: rounds, dialled = [] } of answers) {
    for (const [n, used] of dialled.entries()) {
      it(`are used as far as their families are allowed: [${rounds[n]}] (${name})`, () => {
        const { addresses, refusedBy } = judgeAddresses(rounds[n] as string[], nothingExtra);
        expect(addresses).toEqual(used);
        expect(refusedBy === null).toBe(used.length > 0);
      });
    }
  }

  it("keep their order, and a family that holds a denied address leaves the other one", () => {
    const policy = parseTargetPolicy("", "1.2.3.0/24");
    const judge = (...found: string[]) => judgeAddresses(found, policy);
    expect(judge("2400:cb00::1", "1.1.1.1", "2400:cb00::2").addresses).toEqual([
      "2400:cb00::1",
      "1.1.1.1",
      "2400:cb00::2",
    ]);
    expect(judge("1.2.3.4", "2400:cb00::1", "1.1.1.1").addresses).toEqual(["2400:cb00::1"]);
    expect(judge("1.2.3.4", "fd00::1")).toEqual({ addresses: [], refusedBy: "denied-range" });
    expect(judge("fd00::1", "1.2.3.4")).toEqual({ addresses: [], refusedBy: "private-ipv6" });
    expect(judge()).toEqual({ addresses: [], refusedBy: "no-address" });
  });

  it("in 64:ff9b::/96 are judged as the IPv4 addresses that they lead to, by every rule", () => {
    const policy = parseTargetPolicy("", "1.2.3.0/24,9.9.9.9");
    fc.assert(
      fc.property(fc.ipV4(), (ipv4) => {
        const [a = 0, b = 0, c = 0, d = 0] = ipv4.split(".").map(Number);
        const nat64 = `64:ff9b::${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        expect(addressesRefusedBy([nat64], policy), nat64).toBe(addressesRefusedBy([ipv4], policy));
      }),
    );
    expect(addressesRefusedBy(["64:ff9b::a00:1"], policy)).toBe("private-ipv4");
    for (const allowed of [true, false]) {
      expect(addressesRefusedBy(["64:ff9b::102:304"], policy, allowed)).toBe("denied-range");
      expect(addressesRefusedBy(["64:ff9b::909:909"], policy, allowed)).toBe("denied-range");
    }
    expect(addressesRefusedBy(["64:ff9b::101:101"], parseTargetPolicy("", "64:ff9b::/96"))).toBe("denied-range");
  });

  it("beyond the first 256 of a family are not used", () => {
    const many = Array.from({ length: 300 }, (_, n) => `93.184.${n >> 8}.${n & 255}`);
    expect(judgeAddresses([...many, "10.0.0.1", "2400:cb00::1"], nothingExtra).addresses).toEqual([
      ...many.slice(0, 256),
      "2400:cb00::1",
    ]);
  });

  it("refuses an answer that holds a denied address", () => {
    const policy = parseTargetPolicy("", "1.2.3.0/24,2606:4700::/32");
    expect(validateAddresses(["1.1.1.1", "2400:cb00::1"], policy)).toBe(true);
    expect(validateAddresses(["1.1.1.1", "1.2.3.4"], policy)).toBe(false);
    expect(validateAddresses(["2606:4700::1"], policy)).toBe(false);
  });

  it("accepts private addresses for an allowed target, but no denied, empty or invalid ones", () => {
    const policy = parseTargetPolicy("", "10.0.0.0/8,::1");
    expect(validateAddresses(["127.0.0.1", "fe80::1%lo", "::ffff:192.168.0.1"], policy, true)).toBe(true);
    for (const address of ["10.0.0.1", "::1", "::1%lo", "::ffff:10.0.0.1", "::FFFF:a00:1", "localhost", ""]) {
      expect(validateAddresses([address], policy, true), address).toBe(false);
    }
    expect(validateAddresses([], policy, true)).toBe(false);
  });
});

describe("parseAddressRange", () => {
  it("reads IPv4-mapped addresses as their IPv4 addresses, and no larger block", () => {
    const read = (text: string) => parseAddressRange(text)?.join("/");
    expect(read("::ffff:1.2.3.4")).toBe("1.2.3.4/32");
    expect(read("::ffff:102:304")).toBe("1.2.3.4/32");
    expect(read("0:0:0:0:0:FFFF:102:300/120")).toBe("1.2.3.0/24");
    expect(read("::ffff:0.0.0.0/96")).toBe("0.0.0.0/0");
    expect(read("::/0")).toBe("::/0");
    expect(read("::ffff:1.2.3.4/33")).toBe("::ffff:102:304/33");
    for (const text of ["::ffff:01.2.3.4", "::ffff:1.2.3", "::ffff:", "::ffff:1.2.3.4/129"]) {
      expect(read(text), text).toBeUndefined();
    }
  });

  it("reads an address or a CIDR block and nothing else", () => {
    expect(parseAddressRange("1.2.3.4")?.[1]).toBe(32);
    expect(parseAddressRange("2400:cb00::1")?.[1]).toBe(128);
    expect(parseAddressRange("0.0.0.0/0")?.[1]).toBe(0);
    for (const text of [
      "",
      "/",
      "1.2.3.4/",
      "1.2.3.4/33",
      "1.2.3.4/08",
      "1.2.3.4/-1",
      "1.2.3.4/8/8",
      "::/129",
      "010.0.0.0/8",
      "a",
    ]) {
      expect(parseAddressRange(text), text).toBeNull();
    }
  });
});
