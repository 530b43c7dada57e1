import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatInstant, parseInstant } from "#domain/instant.ts";

const parsed = (text: string) => {
  const epochMs = parseInstant(text);
  return epochMs === null ? null : formatInstant(epochMs);
};

describe("parseInstant", () => {
  it("reads RFC 3339 with Z or an offset, seconds and decimals optional", () => {
    expect(parsed("2031-01-01T00:00:00Z")).toBe("2031-01-01T00:00:00.000Z");
    expect(parsed("2031-01-01T00:00Z")).toBe("2031-01-01T00:00:00.000Z");
    expect(parsed("2031-01-01T00:00+05:45")).toBe("2030-12-31T18:15:00.000Z");
    expect(parsed("2031-01-01T00:00:00.5-23:59")).toBe("2031-01-01T23:59:00.500Z");
    expect(parsed("2031-01-01T00:00:00-00:00")).toBe("2031-01-01T00:00:00.000Z");
    expect(parsed("2028-02-29T12:00:00Z")).toBe("2028-02-29T12:00:00.000Z");
    expect(parsed("2000-02-29T12:00:00Z")).toBe("2000-02-29T12:00:00.000Z");
  });

  it("rounds fractions of a millisecond up, so that no instant is early", () => {
    expect(parsed("2031-01-01T00:00:00.123Z")).toBe("2031-01-01T00:00:00.123Z");
    expect(parsed("2031-01-01T00:00:00.123000000Z")).toBe("2031-01-01T00:00:00.123Z");
    expect(parsed("2031-01-01T00:00:00.123000001Z")).toBe("2031-01-01T00:00:00.124Z");
    expect(parsed("2031-12-31T23:59:59.999000001Z")).toBe("2032-01-01T00:00:00.000Z");
    expect(parsed("1969-12-31T23:59:59.9990001Z")).toBe("1970-01-01T00:00:00.000Z");
    expect(parsed("1960-01-01T00:00:00.0001Z")).toBe("1960-01-01T00:00:00.001Z");
  });

  it("refuses dates and times that do not exist", () => {
    for (const text of [
      ...[
        "2031-02-30T00:00:00Z",
        "2031-04-31T00:00:00Z",
        "2031-02-29T00:00:00Z",
        "2100-02-29T00:00:00Z",
        "2031-13-01T00:00:00Z",
      ],
      ...[
        "2031-00-01T00:00:00Z",
        "2031-01-00T00:00:00Z",
        "2031-01-32T00:00:00Z",
        "2031-01-01T24:00:00Z",
        "2031-01-01T24:00Z",
      ],
      ...[
        "2031-01-01T23:60:00Z",
        "2031-01-01T23:59:60Z",
        "2016-12-31T23:59:60Z",
        "2031-01-01T00:00:00+24:00",
        "2031-01-01T00:00:00+00:60",
      ],
    ]) {
      expect(parseInstant(text), text).toBeNull();
    }
  });

  it("refuses every other notation for an instant", () => {
    for (const text of [
      ...[
        "",
        "2031-01-01",
        "2031-01-01T00:00:00",
        "2031-01-01t00:00:00Z",
        "2031-01-01T00:00:00z",
        "2031-01-01 00:00:00Z",
      ],
      ...[
        "2031-01-01T00:00:00+0530",
        "2031-01-01T00:00:00+05",
        "2031-W01-1T00:00:00Z",
        "2031-001T00:00:00Z",
        "20310101T000000Z",
      ],
      ...[
        "2031-01-01T00:00:00.Z",
        "2031-01-01T00:00:00.1234567890Z",
        "2031-01-01T00:00:00,5Z",
        "2031-01-01T00:00.5Z",
        "2031-01-01T00Z",
      ],
      ...[
        "+02031-01-01T00:00:00Z",
        "-0001-01-01T00:00:00Z",
        "12031-01-01T00:00:00Z",
        "2031-1-1T0:0:0Z",
        "1924991999",
        "tomorrow",
      ],
      ...[
        " 2031-01-01T00:00:00Z",
        "2031-01-01T00:00:00Z ",
        "2031-01-01T00:00:00Z\n",
        "2031-01-01T00:00:00 Z",
        "2031-01-01T00:00:00ZZ",
      ],
      ...[
        "2031-01-01T00:00:00\u221205:00",
        "\u0662\u0660\u0663\u0661-01-01T00:00:00Z",
        "2031-01-01T00:00:00Z[UTC]",
        "2031-01-01T00:00:00GMT",
      ],
    ]) {
      expect(parseInstant(text), JSON.stringify(text)).toBeNull();
    }
  });

  it("stays within the years 0001 to 9999 of UTC, also after rounding", () => {
    expect(parsed("0001-01-01T00:00:00Z")).toBe("0001-01-01T00:00:00.000Z");
    expect(parsed("0099-12-31T00:00:00Z")).toBe("0099-12-31T00:00:00.000Z");
    expect(parsed("0000-12-31T23:00:00-01:00")).toBe("0001-01-01T00:00:00.000Z");
    expect(parsed("9999-12-31T23:59:59.999Z")).toBe("9999-12-31T23:59:59.999Z");
    for (const text of [
      ...[
        "0000-12-31T23:59:59Z",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59.9990001Z",
        "9999-12-31T23:59:00-00:01",
      ],
    ]) {
      expect(parseInstant(text), text).toBeNull();
    }
  });

  it("agrees with the calendar for every valid instant", () => {
    const instant = fc.record({
      ms: fc.integer({ min: Date.UTC(100, 0, 2), max: Date.UTC(9999, 11, 30) }),
      nanos: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 999_999 })),
      offsetMinutes: fc.integer({ min: -1439, max: 1439 }),
    });
    fc.assert(
      fc.property(instant, ({ ms, nanos, offsetMinutes }) => {
        const local = new Date(ms + offsetMinutes * 60_000).toISOString().slice(0, -1);
        const minutes = Math.abs(offsetMinutes);
        const two = (value: number) => String(value).padStart(2, "0");
        const offset = `${offsetMinutes < 0 ? "-" : "+"}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`;
        expect(parseInstant(`${local}${String(nanos).padStart(6, "0")}${offset}`)).toBe(ms + (nanos > 0 ? 1 : 0));
      }),
      { numRuns: 1000 },
    );
  });

  it("reads what formatInstant writes", () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }), (epochMs) => {
        expect(parseInstant(formatInstant(epochMs))).toBe(epochMs);
      }),
    );
  });
});
