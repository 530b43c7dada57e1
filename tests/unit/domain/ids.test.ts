import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createIdSource, decodeId, encodeId, type IdPrefix, newId } from "#domain/ids.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const NOW_MS = 1_767_225_600_000;
const anyPrefix = fc.constantFrom<IdPrefix>("sch", "key", "acc");

const timeOf = (uuid: string) => Number.parseInt(uuid.replaceAll("-", "").slice(0, 12), 16);
const isRising = (ids: string[]) => ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? ""));

describe("newId", () => {
  test("returns a UUIDv7 that begins with its time", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), (epochMs) => {
        const id = createIdSource()(epochMs);
        expect(id).toMatch(UUID);
        expect(timeOf(id)).toBe(epochMs);
      }),
    );
  });

  test("cuts off fractions of a millisecond", () => {
    expect(timeOf(createIdSource()(NOW_MS + 0.9))).toBe(NOW_MS);
  });

  test("returns ascending ids within one millisecond, also past the end of its counter", () => {
    const next = createIdSource();
    const ids = Array.from({ length: 10_000 }, () => next(NOW_MS));
    expect(isRising(ids)).toBe(true);
    expect(timeOf(ids.at(-1) ?? "") - NOW_MS).toBeLessThanOrEqual(4);
  });

  test("has room for at least 2,048 ids per millisecond, whatever value the counter begins with", () => {
    const next = createIdSource((size) => Buffer.alloc(size, 0xff));
    expect(timeOf(Array.from({ length: 2_049 }, () => next(NOW_MS)).at(-1) ?? "")).toBe(NOW_MS);
  });

  test("returns ascending ids while the clock goes back by less than a second", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 2 }), (offsets) => {
        const next = createIdSource();
        expect(isRising(offsets.map((offset) => next(NOW_MS + offset)))).toBe(true);
      }),
    );
  });

  test("follows a clock that was set back further", () => {
    const next = createIdSource();
    next(NOW_MS + 3_600_000);
    expect(timeOf(next(NOW_MS))).toBe(NOW_MS);
  });

  test("has a random last byte, since it determines the shard of an account", () => {
    const last = new Set(Array.from({ length: 2_000 }, () => newId(NOW_MS).slice(-2)));
    expect(last.size).toBeGreaterThan(200);
  });
});

describe("encodeId", () => {
  test.each([
    ["00000000-0000-0000-0000-000000000000", "sch_00000000000000000000000000"],
    ["ffffffff-ffff-ffff-ffff-ffffffffffff", "sch_7zzzzzzzzzzzzzzzzzzzzzzzzz"],
    ["00000000-0000-0000-0000-000000000020", "sch_00000000000000000000000010"],
    ["019b7300-0000-7000-8000-00000000001f", "sch_01kdsg0000e00800000000000z"],
  ])("writes %s as %s", (uuid, text) => {
    expect(encodeId("sch", uuid)).toBe(text);
    expect(decodeId("sch", text)).toBe(uuid);
  });

  test("loses nothing: every UUID can be decoded from its text", () => {
    fc.assert(
      fc.property(anyPrefix, fc.uuid(), (prefix, uuid) => {
        const text = encodeId(prefix, uuid);
        expect(text).toMatch(/^(sch|key|acc)_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
        expect(decodeId(prefix, text)).toBe(uuid);
      }),
    );
  });

  test("gives texts that sort as their UUIDs do, and so by time", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (a, b) => {
        expect(encodeId("sch", a) < encodeId("sch", b)).toBe(a < b);
      }),
    );
  });
});

describe("decodeId", () => {
  const good = encodeId("sch", "019b7300-0000-7000-8000-00000000001f");

  test.each([
    "",
    "sch_",
    good.slice(4),
    good.slice(0, -1),
    `${good}0`,
    `${good}\n`,
    ` ${good}`,
    good.toUpperCase(),
    good.replace("sch_", "SCH_"),
    good.replace("sch_", "sch-"),
    good.replace("sch_", "key_"),
    `sch_8${good.slice(5)}`,
    `sch_z${good.slice(5)}`,
    `${good.slice(0, -1)}i`,
    `${good.slice(0, -1)}l`,
    `${good.slice(0, -1)}o`,
    `${good.slice(0, -1)}u`,
    `${good.slice(0, -1)}٣`,
    "019b7300-0000-7000-8000-00000000001f",
  ])("refuses %j, which is no id of a schedule", (text) => {
    expect(decodeId("sch", text)).toBeNull();
  });

  test("accepts only the one text that encodeId writes for an id", () => {
    fc.assert(
      fc.property(anyPrefix, fc.string({ minLength: 26, maxLength: 26, unit: "grapheme-ascii" }), (prefix, digits) => {
        const uuid = decodeId(prefix, `${prefix}_${digits}`);
        if (uuid !== null) expect(encodeId(prefix, uuid)).toBe(`${prefix}_${digits}`);
      }),
    );
  });
});
