import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCode } from "#domain/answer-code.ts";
import { parseDuration } from "#domain/duration.ts";
import { ENVIRONMENTS } from "#domain/environment.ts";
import { cleanErrorText } from "#domain/error-text.ts";
import { type OnClockChange, resolveFireTime } from "#domain/fire-time.ts";
import { parseCustomHeaders, RESERVED_HEADERS } from "#domain/headers.ts";
import { parseInstant } from "#domain/instant.ts";
import { parseLateRange } from "#domain/late-range.ts";
import { readLocalTime, utcOf } from "#domain/local-time.ts";
import { PLAN_NAMES, parsePlans, RETRY_STRATEGIES } from "#domain/plans.ts";
import { nextRetryAtMs } from "#domain/retry.ts";
import { searchedHost } from "#domain/searched-host.ts";
import { parseTargetPolicy, validateTarget } from "#domain/target-url.ts";
import { isZone } from "#domain/zoned-time.ts";
import { customHeaders } from "../../../sdk/src/testing/custom-headers.ts";
import { clean, nextRetryMs } from "../../../sdk/src/testing/deliver.ts";
import { parseDuration as parseOwnDuration } from "../../../sdk/src/testing/durations.ts";
import { readCode, readHost, readLate } from "../../../sdk/src/testing/filters.ts";
import { parseLocalTime, parseInstant as parseOwnInstant } from "../../../sdk/src/testing/instants.ts";
import { LIMITS } from "../../../sdk/src/testing/limits.ts";
import { readTarget } from "../../../sdk/src/testing/targets.ts";
import { instantsOf, isZone as isOwnZone } from "../../../sdk/src/testing/zones.ts";

// The SDK may not import the rules of the service, so that its fake has its own. Here both are compared.

/** Checks many values, of which fast-check looks for the simplest that fails. */
function checkEach<T>(values: fc.Arbitrary<T>, check: (value: T) => void, numRuns = 1_000): void {
  const property = fc.property(values, (value) => {
    check(value);
  });
  fc.assert(property, { numRuns });
}

/** One of these texts, or one that differs from it by a few characters. */
function nearly(...texts: string[]): fc.Arbitrary<string> {
  const change = fc.record({ at: fc.nat(), deleted: fc.nat({ max: 2 }), inserted: fc.string({ maxLength: 2 }) });
  return fc.tuple(fc.constantFrom(...texts), fc.array(change, { maxLength: 2 })).map(([text, changes]) =>
    changes.reduce((whole, { at, deleted, inserted }) => {
      const from = at % (whole.length + 1);
      return whole.slice(0, from) + inserted + whole.slice(from + deleted);
    }, text),
  );
}

describe("the SDK's fake judges as the service does:", () => {
  it("the limits of the plans", () => {
    const plans = parsePlans(undefined);
    for (const name of PLAN_NAMES) {
      const { payloadBytesMax, bulkItemsMax, retryAttemptsMax, ...plan } = plans[name];
      const own = { payloadBytes: payloadBytesMax, bulkItems: bulkItemsMax, retryAttempts: retryAttemptsMax };
      expect({ ...plan, ...own }).toMatchObject(LIMITS[name]);
    }
  });

  it("instants", () => {
    const edges = ["0001-01-01T00:00:00Z", "0000-12-31T23:59:59Z", "0099-03-01T00:00:00Z", "9999-12-31T23:59-00:00"];
    const written = nearly("2031-01-01T09:00:00Z", "2031-02-28T23:59:59.123456789+05:45", ...edges);
    checkEach(written, (text) => expect(parseOwnInstant(text)).toBe(parseInstant(text)));
  });

  it("durations", () => {
    const written = nearly("90s", "1h30m", "2w3d4h5m6.5s", "PT90M", "P1W2DT3H4M5.123456789S", "365250d", "0.1h");
    checkEach(written, (text) => {
      // The fake's clock may also move by less than a second.
      const ms = parseOwnDuration(text);
      expect(ms !== null && ms >= 1_000 ? ms : null).toBe(parseDuration(text));
    });
  });

  it("local times", () => {
    const written = nearly("2031-01-01T09:00", "2031-10-26T02:30:59.999999999", "1970-01-01T00:00", "0001-01-01T00:00");
    checkEach(written, (text) => {
      const read = readLocalTime(text);
      const judged = typeof read === "string" ? null : { ms: utcOf(read.local), fractionMs: read.ms };
      expect(parseLocalTime(text)).toEqual(judged);
    });
  });

  it("what the clocks of a zone make of a local time", () => {
    const known = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Europe/Dublin", "Africa/Casablanca"];
    const resolve = (ms: number, zone: string, onClockChange: OnClockChange) => {
      const read = readLocalTime(new Date(ms).toISOString().slice(0, 16));
      if (typeof read === "string") throw new Error("this is no local time");
      const resolved = resolveFireTime({ ...read, zone, onClockChange });
      if (!resolved.ok) throw new Error(resolved.message);
      return resolved;
    };
    const quarters = fc.nat({ max: 35_040 * 80 });
    checkEach(
      fc.tuple(fc.constantFrom(...known, "UTC", "Pacific/Apia"), quarters),
      ([zone, n]) => {
        const ms = n * 900_000;
        const [first, second] = [resolve(ms, zone, "first"), resolve(ms, zone, "second")];
        expect(instantsOf(ms, zone)).toEqual({ first: first.atMs, second: second.atMs, change: first.clockChange });
      },
      200,
    );
    // Every quarter of an hour of the days at which clocks change.
    for (const day of ["2031-03-30", "2031-10-26", "2031-03-09", "2031-11-02", "2031-04-06", "2031-10-05"]) {
      for (let ms = Date.parse(day); ms < Date.parse(day) + 86_400_000; ms += 1_800_000) {
        for (const zone of known.slice(0, 4)) {
          const { atMs, clockChange } = resolve(ms, zone, "first");
          expect(instantsOf(ms, zone)).toMatchObject({ first: atMs, change: clockChange });
        }
      }
    }
  });

  it("names of zones", () => {
    const names = [
      "Europe/Berlin",
      "america/argentina/buenos_aires",
      "UTC",
      "EST5EDT",
      "BST",
      "+01:00",
      "SystemV/PST8",
    ];
    checkEach(nearly(...names, "Etc/GMT-14", "MET"), (name) => expect(isOwnZone(name)).toBe(isZone(name)), 300);
  });

  it("targets", () => {
    const policy = parseTargetPolicy("", "");
    const check = (url: string) => {
      for (const env of ENVIRONMENTS) {
        const judged = validateTarget(url, policy, env);
        expect(readTarget(url, new Set(), env), url).toEqual(
          judged.ok ? { url: judged.url } : { problem: expect.any(String) },
        );
      }
    };
    const vectors = readFileSync("tests/vectors/addresses.json", "utf8");
    const written = [...vectors.matchAll(/"(https?:[^"\\]*(?:\\.[^"\\]*)*)"/g)].map(([text]) => JSON.parse(text));
    expect(written.length).toBeGreaterThan(50);
    for (const url of written) check(url);
    const urls = nearly(
      ...["https://example.com/hook?a=b#c", "https://EXAMPLE.com.:443/", "http://example.com:80", "https://a@b.com"],
      ...["https://xn--mnchen-3ya.de/", "https://münchen.de/", "https://svc.internal/", "https://localhost"],
      ...["https://8.8.8.8/", "https://127.1/", "https://10.0.0.1:443", "https://[2606:4700::1111]/"],
      ...["https://listen.invalid/hooks/a?b#c", "https://LISTEN.invalid.:443/", "http://listen.invalid:80/"],
      ...["https://[2001:db8::1]/", "https://[::ffff:1.2.3.4]/", "https://[2620:4f:8000::1]", "https://[3fff:0fff::]/"],
    );
    checkEach(urls, check);
    checkEach(fc.ipV4(), (address) => check(`https://${address}/`));
    checkEach(fc.ipV6(), (address) => check(`https://[${address}]/`), 300);
    const group = fc.nat({ max: 0xffff }).map((number) => number.toString(16));
    const heads = fc.constantFrom("2001", "2001:db8", "2001:1ff", "2001:200", "2002", "2620:4f:8000", "3ffe", "3fff");
    checkEach(fc.tuple(heads, group, group), ([head, a, b]) => check(`https://[${head}:${a}::${b}]/`));
  });

  it("the filters of lists", () => {
    const hosts = nearly(
      ...["example.com", "EXAMPLE.com.:8443", "münchen.de", "xn--mnchen-3ya.de:443", "8.8.8.8:80", "10.0", "0x7f.1"],
      ...["[2606:4700::1111]:444", "[::FFFF:1.2.3.4]", ";:", "a:0", "a:65536", "a..b", "\u00adexample.com", "a\ud800b"],
    );
    checkEach(hosts, (text) => expect(readHost(text), text).toBe(searchedHost(text)));
    checkEach(nearly("503", "5xx", "none", "2xx", "600"), (text) => {
      expect(readCode(text) === null, text).toBe(parseCode(text) === undefined);
    });
    checkEach(nearly("250..", "..0", "-100..500", "0..-0", "5..4", "999999999999..", ".."), (text) => {
      expect(readLate(text) === null, text).toBe(parseLateRange(text) === null);
    });
  });

  it("custom headers", () => {
    const names = fc.oneof(
      nearly(...RESERVED_HEADERS, "X_Service_Signature", "content_Length", "X-A", "Proxy-Foo", "User-Agent"),
      fc.constant("x".repeat(257)),
    );
    const values = fc.oneof(fc.string(), fc.constantFrom<unknown>("é", "a\nb", 5, null, "v".repeat(5_000)));
    const many = fc
      .integer({ min: 48, max: 52 })
      .map((count) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, "v"])));
    checkEach(fc.oneof(fc.dictionary(names, values, { maxKeys: 4 }), many), (given) => {
      const paths: string[] = [];
      const own = customHeaders(given, (_, below) => {
        paths.push(below === undefined ? "headers" : `headers.${below}`);
      });
      const judged = parseCustomHeaders(given as Record<string, string>);
      expect(own ?? null).toEqual(judged.ok ? judged.headers : null);
      expect(paths).toEqual(judged.ok ? [] : judged.problems.map(({ path }) => path));
    });
  });

  it("when a retry is due", () => {
    const dates = ["Wed, 01 Jan 2031 00:30:00 GMT", "Wednesday, 01-Jan-31 00:30:00 GMT", "Wed Jan  1 00:30:00 2031"];
    const seconds = fc.nat({ max: 20_000 }).map(String);
    const failures = fc.record({
      strategy: fc.constantFrom(...RETRY_STRATEGIES),
      baseMs: fc.integer({ min: 1_000, max: 3_600_000 }),
      n: fc.integer({ min: 1, max: 9 }),
      draw: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      statusCode: fc.constantFrom(null, 404, 429, 500, 503),
      retryAfter: fc.oneof(
        ...[seconds, nearly(...dates, "Thu, 29 Feb 2029 23:59:60 GMT"), fc.constantFrom(null, " 60 ", "9".repeat(400))],
      ),
    });
    const nowMs = Date.parse("2031-01-01T00:00:00.123Z");
    checkEach(failures, ({ strategy, baseMs, n, draw, statusCode: status, retryAfter }) => {
      const random = () => draw;
      const retryAfters = retryAfter === null ? [] : [retryAfter];
      const rule = { strategy, baseMs, n, random, nowMs, statusCode: status, retryAfter: retryAfters };
      const settings = { retryAttempts: 9, retryBackoffMs: baseMs, retryStrategy: strategy };
      expect(nextRetryMs(settings, n, { status, retryAfter, nowMs, random })).toBe(nextRetryAtMs(rule));
    });
  });

  it("what is kept of an answer", () => {
    const edges = ["a\0b", "\ud800", "😀".repeat(1_100), `${"x".repeat(1_023)}😀y`, "x".repeat(3_000)];
    const texts = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...edges));
    checkEach(texts, (raw) => expect(clean(raw)).toBe(cleanErrorText(raw)), 100);
  });
});
