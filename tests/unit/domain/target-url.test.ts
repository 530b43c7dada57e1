import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPublicAddress } from "#domain/address-policy.ts";
import { parseTargetPolicy, validateTarget } from "#domain/target-url.ts";
import vectors from "../../vectors/addresses.json" with { type: "json" };

const nothingExtra = parseTargetPolicy("", "");
const validate = (raw: unknown) => validateTarget(raw, nothingExtra);
const hosts = (...names: string[]) => names.map((name) => `https://${name}/`);

describe("target validation", () => {
  for (const { url, expect: expected, why } of vectors.filter(({ stage }) => stage === "create")) {
    it(`${expected}s ${JSON.stringify(url)} (${why})`, () => {
      expect(validate(url).ok).toBe(expected === "accept");
    });
  }
});

describe("a refused target", () => {
  const policy = parseTargetPolicy("", "evil.example.com,5.6.0.0/16");

  it.each([
    [5, "text"],
    ["https://example.com/\ud800", "text"],
    [`https://example.com/${"a".repeat(2_048)}`, "length"],
    ["https://exam ple.com/", "characters"],
    ["https://ex%61mple.com/", "characters"],
    ["http://example.com/", "scheme"],
    ["ftp://example.com/", "scheme"],
    ["https://a:b@example.com/", "userinfo"],
    ["https://[::1", "host"],
    ["https://exa!mple.com/", "host"],
    ["https://example.com:8443/", "port"],
    ["https://0x7f.1/", "ipv4-notation"],
    ["https://localhost/", "special-name"],
    ["https://db.internal/", "special-name"],
    ["https://listen.invalid/", "listener"],
    ["https://a.evil.example.com/", "denied-host"],
    ["https://5.6.7.8/", "denied-range"],
    ["https://10.0.0.1/", "private-ipv4"],
    ["https://[fd00::1]/", "private-ipv6"],
  ])("%j is refused by the rule %s", (raw, rule) => {
    expect(validateTarget(raw, policy)).toMatchObject({ ok: false, rule });
  });
});

describe("the raw text of a target", () => {
  it("is refused with any control character, white space or backslash at any position", () => {
    const refused = [
      ..."\0\t\n\r\v\f\x1b\x7f\x80\x9f\x85 \\\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff",
    ];
    for (const character of refused) {
      for (const url of [`${character}https://example.com/`, `https://exam${character}ple.com/`]) {
        expect(validate(url).ok, JSON.stringify(url)).toBe(false);
      }
      for (const tail of ["/", "/?", "/#", "/x"])
        expect(validate(`https://example.com${tail}${character}`).ok).toBe(false);
    }
  });

  it("is refused when the host has a character that a parser drops silently", () => {
    for (const character of "\u00ad\u200b\u2060\u180e\ufe0f\u034f\u{e0061}") {
      expect(validate(`https://exam${character}ple.com/`).ok, escape(character)).toBe(false);
    }
  });

  it("must be a well-formed string of at most 2,048 characters once it is encoded", () => {
    const letters = (letter: string, n: number) => `https://example.com/${letter.repeat(n)}`;
    expect(validate(letters("é", 338)).ok).toBe(true);
    expect(validate(letters("é", 339))).toMatchObject({ ok: false, rule: "length" });
    expect(validate(letters("\u{1F600}", 169)).ok).toBe(true);
    expect(validate(letters("\u{1F600}", 170)).ok).toBe(false);
    expect(validate(`https://example.com/#${"a".repeat(5_000)}`).ok).toBe(true);
    const longest = `https://example.com/${"a".repeat(2048 - 20)}`;
    expect(validate(longest).ok).toBe(true);
    expect(validate(`${longest}a`).ok).toBe(false);
    expect(validate("https://example.com/\ud800").ok).toBe(false);
    for (const raw of [undefined, null, 1, {}, ["https://example.com/"], new String("https://example.com/"), ""]) {
      expect(validate(raw).ok).toBe(false);
    }
  });

  it("must begin with https:// in any letter case and have an authority", () => {
    expect(validate("HTTPS://Example.com/A")).toMatchObject({ ok: true, url: "https://example.com/A" });
    for (const raw of [
      ...["http://example.com/", "https:example.com", "https:/example.com", "//example.com", "https://", "https:///"],
      ...[
        "https://#x",
        "httpss://example.com",
        "https//example.com",
        "https://:443/",
        "https://:80",
        "blob:https://a.com/",
      ],
      ...["\uff48ttps://example.com/", "https:\uff0f\uff0fexample.com/", "javascript:https://example.com/"],
    ]) {
      expect(validate(raw).ok, raw).toBe(false);
    }
  });

  it("has no credentials and no escapes in the authority, and may have both after it", () => {
    for (const raw of hosts(
      "a@example.com",
      "a:b@example.com",
      "@example.com",
      "ex%61mple.com",
      "example.com%2f",
      "a%40b.com",
    )) {
      expect(validate(raw).ok, raw).toBe(false);
    }
    for (const tail of ["?a@b", "/@", "#@127.0.0.1", "/%zz", "?%", "/a:b"]) {
      expect(validate(`https://example.com${tail}`).ok, tail).toBe(true);
    }
  });

  it("may name port 80 or 443 in plain digits, and no other port", () => {
    for (const port of ["", ":80", ":443"]) expect(validate(`https://example.com${port}/`).ok).toBe(true);
    for (const port of [
      ...[":", ":0", ":0443", ":080", ":8080", ":65536", ":99999", ":443:443", ":+443", ":-1", ":44x", ":4e2", ":0x50"],
      ...[":\uff14\uff14\uff13", ":\u0664\u0664\u0663"],
    ]) {
      expect(validate(`https://example.com${port}/`).ok, port).toBe(false);
      expect(validate(`https://[2400:cb00::1]${port}/`).ok, port).toBe(false);
    }
  });
});

describe("the host of a target", () => {
  it("is refused when it is an IPv4 address in any notation but plain dotted decimal, public or not", () => {
    for (const raw of hosts(
      ...["127.1", "0177.0.0.1", "0x7f.0.0.1", "0x7f000001", "017700000001", "127.0.1", "0", "0x", "127.0.0.1."],
      ...["1.1.1.1.", "1.1.1.01", "0x01010101", "16843009", "1.1.257", "\uff11.1.1.1", "\u2460.1.1.1", "1\u30021.1.1"],
      ...["256.1.1.1", "1.1.1.1.1", "1.2.3.4.5", "example.1", "1.1.1", "1.1.1.256", "1..1.1", "example.0x1"],
    )) {
      expect(validate(raw).ok, raw).toBe(false);
    }
  });

  it("is refused when it is 127/8 in any notation a URL parser accepts", () => {
    const number = (value: number) =>
      fc.constantFrom(String(value), `0x${value.toString(16)}`, `0X${value.toString(16)}`, `0${value.toString(8)}`);
    const loopback = fc
      .tuple(fc.nat(255), fc.nat(255), fc.nat(255))
      .chain(([b, c, d]) =>
        fc.oneof(
          fc.tuple(number(127), number(b), number(c), number(d)),
          fc.tuple(number(127), number(b), number(c * 256 + d)),
          fc.tuple(number(127), number(b * 65536 + c * 256 + d)),
          fc.tuple(number(127 * 2 ** 24 + b * 65536 + c * 256 + d)),
        ),
      );
    const widen = (text: string) => text.replace(/[0-9a-fx]/gi, (c) => String.fromCodePoint(c.charCodeAt(0) + 0xfee0));
    fc.assert(
      fc.property(
        loopback,
        fc.constantFrom(".", "\u3002", "\uff0e", "\uff61"),
        fc.boolean(),
        fc.boolean(),
        (parts, dot, wide, last) => {
          const host = parts.join(dot) + (last ? dot : "");
          const raw = `https://${wide ? widen(host) : host}/`;
          expect(URL.parse(raw)?.hostname ?? "127.", raw).toMatch(/^127\./);
          expect(validate(raw).ok, raw).toBe(false);
        },
      ),
    );
  });

  it("is refused when it is an IPv6 address that is not public or not valid", () => {
    for (const raw of hosts(
      ...["[::1]", "[::ffff:127.0.0.1]", "[::ffff:1.1.1.1]", "[::ffff:7f00:1]", "[::ffff:0:127.0.0.1]", "[fe80::1]"],
      ...[
        "[fe80::1%25eth0]",
        "[fe80::1%eth0]",
        "[fc00::1]",
        "[64:ff9b:1::1]",
        "[2001::1]",
        "[2001:db8::1]",
        "[3fff::1]",
      ],
      ...[
        "[2001:4:112::1]",
        "[2620:4f:8000::1]",
        "[3ffe::1]",
        "[4000::1]",
        "[1fff::1]",
        "[5f00::1]",
        "[]",
        "[1.1.1.1]",
      ],
      ...[
        "[2400:cb00::1",
        "2400:cb00::1",
        "[2400:cb00::1]x",
        "x[2400:cb00::1]",
        "[2400::cb00::1]",
        "[v1.a]",
        "[[2400:cb00::1]]",
      ],
    )) {
      expect(validate(raw).ok, raw).toBe(false);
    }
    for (const raw of hosts(
      "[2606:4700:4700::1111]",
      "[2606:4700:4700:0:0:0:0:1111]",
      "[2A00:1450::1]:443",
      "[2606:4700::1.2.3.4]",
    )) {
      expect(validate(raw).ok, raw).toBe(true);
    }
  });

  it("is refused when it is a name that public DNS does not answer for, in any spelling", () => {
    for (const raw of hosts(
      ...[
        "localhost.",
        "a.localhost",
        "LOCALHOST",
        "a.LocalHost.",
        "\uff4c\uff4f\uff43\uff41\uff4chost",
        "a.internal.",
      ],
      ...[
        "localhost.localdomain",
        "kubernetes.default.svc",
        "a.svc.cluster.local",
        "router.home.arpa",
        "a.onion",
        "a.alt",
      ],
      ...[
        "a.test",
        "a.invalid",
        "a.example",
        "a.corp",
        "a.home",
        "a.lan",
        "a.mail",
        "a.private",
        "a.i2p",
        "vault.service.consul",
      ],
      ...[
        "metadata.google.internal",
        "1.0.0.127.in-addr.arpa",
        "a\u3002local",
        "com",
        "com.",
        "\u24db\u24de\u24d2al.\u24db\u24de\u24d2al",
      ],
      // The names of loopback in the /etc/hosts of Fedora, RHEL, Alpine, Debian, openSUSE and FreeBSD, and names below
      // them.
      ...[
        "localhost4.localdomain4",
        "localhost6.localdomain6",
        "LOCALHOST6.localdomain6.",
        "a.localhost4",
        "a.localhost6",
        "localhost.my.domain",
        ...["ip6-localhost", "ip6-loopback", "ipv6-localhost", "ipv6-loopback"].flatMap((name) => [name, `a.${name}`]),
      ],
    )) {
      expect(validate(raw).ok, raw).toBe(false);
    }
  });

  it("is accepted when a special name is only part of a label or stands further left", () => {
    for (const raw of hosts(
      "local.example.com",
      "localhost.example.com",
      "mylocal.com",
      "svc.io",
      "internal.co",
      "test.com",
      "a.host",
    )) {
      expect(validate(raw).ok, raw).toBe(true);
    }
  });

  it("is refused when it is not a valid name", () => {
    const label63 = "a".repeat(63);
    for (const raw of hosts(
      ...[
        ".",
        "..",
        ".example.com",
        "example.com..",
        "a..b.com",
        "*.example.com",
        "a!b.com",
        "a,b.com",
        "a;b.com",
        "a b.com",
      ],
      ...[
        "xn--a.com",
        "xn--.com",
        "xn--zn7c.com",
        "a.xn--abc",
        "\u2100.com",
        "a\uff0fb.com",
        "example\uff20evil.com",
        "a\uff05b.com",
      ],
      ...[
        `${label63}a.com`,
        `${`${label63}.`.repeat(3)}${"a".repeat(58)}.com`,
        "a|b.com",
        "a^b.com",
        "<a>.com",
        "a'b.com",
        "a(b).com",
      ],
      ...["'example.com'", '"example.com"', "{a}.com", "a&b.com", "a=b.com", "$a.com", "a~b.com", "a`b.com"],
    )) {
      expect(validate(raw).ok, raw).toBe(false);
    }
    expect(validate(`https://${label63}.com/`).ok).toBe(true);
    expect(validate(`https://${`${label63}.`.repeat(3)}${"a".repeat(57)}.com/`).ok).toBe(true);
  });

  it("may be an international name, which is validated and requested in its ASCII form", () => {
    expect(validate("https://b\u00fccher.de/\u00e4?\u00f6")).toMatchObject({
      ok: true,
      url: "https://xn--bcher-kva.de/%C3%A4?%C3%B6",
      hostname: "xn--bcher-kva.de",
    });
    for (const raw of hosts(
      "xn--bcher-kva.de",
      "fa\u00df.de",
      "\u4f8b\u3048.jp",
      "example\u3002com",
      "xn--fiqs8s.xn--fiqs8s",
      "_a.example.com",
      "\u0646\u0627\u0645\u0647\u200c\u0627\u06cc.com",
    )) {
      expect(validate(raw).ok, raw).toBe(true);
    }
  });

  it("never parses to a special address or a special name once the target is accepted", () => {
    const piece = fc.constantFrom(
      ...[
        "127",
        "0x7f",
        "1",
        ".",
        "\u3002",
        "localhost",
        "local",
        "internal",
        "com",
        "example",
        "[::1]",
        "[",
        "]",
        ":80",
        ":",
        "@",
      ],
      ...[
        "/",
        "\\",
        "#",
        "?",
        "%31",
        "\uff11",
        "\u0131",
        "0",
        "8",
        "255",
        "xn--",
        "-",
        "_",
        "\u00ad",
        "10",
        "169.254.169.254",
      ],
    );
    const raws = fc.array(fc.oneof(piece, fc.string({ maxLength: 3, unit: "grapheme" })), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(raws, (pieces) => {
        const validated = validate(`https://${pieces.join("")}`);
        if (!validated.ok) {
          expect(validated.reason).toMatch(/^targetUrl must /);
          return;
        }
        const url = new URL(validated.url);
        expect(url.href).toBe(validated.url);
        expect(url.origin).toBe(validated.origin);
        expect([url.protocol, url.username, url.password, url.hash]).toEqual(["https:", "", "", ""]);
        expect(["", "80"]).toContain(url.port);
        if (/^\[|^[\d.]+$/.test(url.hostname)) expect(isPublicAddress(validated.hostname)).toBe(true);
        else expect(url.hostname).toMatch(/^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/);
        expect(url.hostname).not.toMatch(/(^|\.)(localhost|local|internal|svc|onion|arpa)$/);
        expect(validate(validated.url)).toEqual(validated);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("a validated target", () => {
  it("is requested without fragment and without the host's trailing dot", () => {
    expect(validate("https://Example.com.:443/a/../b?x=1#frag")).toEqual({
      ok: true,
      url: "https://example.com/b?x=1",
      origin: "https://example.com",
      hostname: "example.com",
      port: 443,
      allowed: false,
    });
  });

  it("keeps port 80 in its origin, since it is https", () => {
    expect(validate("https://example.com:80")).toMatchObject({ origin: "https://example.com:80", port: 80 });
  });

  it("names an address without brackets", () => {
    expect(validate("https://[2400:CB00:0::1]/")).toMatchObject({
      hostname: "2400:cb00::1",
      origin: "https://[2400:cb00::1]",
    });
  });

  it("that is refused has a reason that names targetUrl and never the address", () => {
    for (const raw of hosts("10.0.0.1", "[fd00::1]", "0x7f.1", "secret.internal", "10.0.0.1:99", "a@10.0.0.1")) {
      const validated = validate(raw);
      expect(validated).toMatchObject({ ok: false, reason: expect.stringMatching(/^targetUrl must /) });
      expect(JSON.stringify(validated)).not.toMatch(/10\.0|fd00|7f|secret/);
    }
  });
});

describe("the operator's policy", () => {
  const policy = parseTargetPolicy(
    " localhost:8443, http://localhost:3001 ,https://127.0.0.1:9443,[::1]:9443,B\u00fccher.local:443,",
    "evil.com, 1.2.3.0/24 ,2606:4700::/32,[2400:cb00::1],9.9.9.9,b\u00f6se.de.",
  );
  const validateWith = (raw: string) => validateTarget(raw, policy);

  it("exempts exactly the allowed targets from the scheme, port and address rules", () => {
    for (const raw of [
      ...["https://localhost:8443/x", "http://localhost:3001", "HTTP://LOCALHOST.:3001/", "https://127.0.0.1:9443/"],
      ...["https://[0:0::1]:9443/", "https://b\u00fccher.local/"],
    ]) {
      expect(validateWith(raw), raw).toMatchObject({ ok: true, allowed: true });
    }
    for (const raw of [
      ...["http://localhost:8443/", "https://localhost:3001/", "https://localhost/", "https://a.localhost:8443/"],
      ...[
        "https://127.0.0.2:9443/",
        "http://b\u00fccher.local/",
        "https://x@localhost:8443/",
        "https://localhost:8443\\x",
      ],
      ...["https://localhost:08443/", "ftp://localhost:8443/"],
    ]) {
      expect(validateWith(raw).ok, raw).toBe(false);
    }
    expect(validateWith("http://localhost:3001/a#b")).toEqual({
      ok: true,
      url: "http://localhost:3001/a",
      origin: "http://localhost:3001",
      hostname: "localhost",
      port: 3001,
      allowed: true,
    });
    expect(validateWith("https://example.com/")).toMatchObject({ ok: true, allowed: false });
  });

  it("denies listed hosts with their subdomains, addresses and ranges", () => {
    for (const raw of hosts(
      "evil.com",
      "a.b.EVIL.com.",
      "1.2.3.4",
      "[2606:4700::1]",
      "[2400:cb00::1]",
      "9.9.9.9",
      "xn--bse-sna.de",
    )) {
      expect(validateWith(raw), raw).toMatchObject({ ok: false });
    }
    for (const raw of hosts("notevil.com", "evil.com.br", "1.2.4.1", "[2400:cb00::2]")) {
      expect(validateWith(raw).ok, raw).toBe(true);
    }
  });

  it("denies a target that it also allows", () => {
    expect(validateTarget("https://a.local:1/", parseTargetPolicy("a.local:1", "a.local")).ok).toBe(false);
    expect(validateTarget("https://10.0.0.1:1/", parseTargetPolicy("10.0.0.1:1", "10.0.0.0/8")).ok).toBe(false);
  });

  it("is refused when it is malformed, with what was expected and what came", () => {
    for (const entry of [
      ...[
        "localhost",
        "ftp://localhost:21",
        "localhost:0",
        "localhost:65536",
        "localhost:8443/x",
        "a@b:1",
        "*.local:1",
      ],
      ...["https://localhost", "localhost:08", ":80", "::1:80", "a b:1", "http://", "%6c:1"],
    ]) {
      expect(() => parseTargetPolicy(entry, ""), entry).toThrow(/^expected host:port .*, not ".*"$/s);
    }
    for (const entry of [
      "1.2.3.0/33",
      "1.2.3/24",
      "::/129",
      "evil.com:443",
      "https://evil.com",
      "*.evil.com",
      ".",
      "127.1",
      "a b",
    ]) {
      expect(() => parseTargetPolicy("", entry), entry).toThrow(/^expected a host, .*, not ".*"$/s);
    }
  });
});

describe("a target for listeners", () => {
  const policies = [
    nothingExtra,
    parseTargetPolicy("", "invalid,listen.invalid"),
    parseTargetPolicy("listen.invalid:443,http://listen.invalid:80,listen.invalid:80", ""),
  ];

  it("is valid in the test environment alone, the same with every policy", () => {
    for (const policy of policies) {
      expect(validateTarget("https://LISTEN.INVALID.:443/a?b#c", policy, "test")).toEqual({
        ok: true,
        url: "https://listen.invalid/a?b",
        origin: "https://listen.invalid",
        hostname: "listen.invalid",
        port: 443,
        allowed: false,
      });
      expect(validateTarget("https://listen.invalid", policy, "test")).toMatchObject({
        url: "https://listen.invalid/",
      });
      expect(validateTarget("https://listen.invalid/a", policy, "live")).toMatchObject({ ok: false, rule: "listener" });
    }
  });

  it("is never connected to, whatever the operator allows: without an environment it is refused", () => {
    for (const policy of policies) {
      expect(validateTarget("https://listen.invalid/", policy)).toMatchObject({ ok: false, rule: "listener" });
    }
  });

  it("is https and has no port", () => {
    for (const policy of policies) {
      for (const raw of ["http://listen.invalid/", "https://listen.invalid:80/", "https://listen.invalid:1/"]) {
        expect(validateTarget(raw, policy, "test"), raw).toMatchObject({ ok: false, rule: "listener" });
      }
    }
  });

  it("does not make other names below .invalid valid", () => {
    for (const raw of ["https://a.listen.invalid/", "https://invalid/", "https://xlisten.invalid/"]) {
      expect(validateTarget(raw, nothingExtra, "test"), raw).toMatchObject({ ok: false, rule: "special-name" });
    }
  });
});
