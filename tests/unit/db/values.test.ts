import { describe, expect, it } from "vitest";
import { readBytes, readInstant } from "#db/values.ts";

describe("an instant", () => {
  it.each([
    ["2026-11-26 09:30:00+00", "2026-11-26T09:30:00.000Z"],
    ["2026-11-26 09:30:00.123+00", "2026-11-26T09:30:00.123Z"],
    ["2026-11-26 09:30:00.5-03:30", "2026-11-26T13:00:00.500Z"],
  ])("is read from %s", (text, instant) => {
    expect(readInstant(text).toISOString()).toBe(instant);
  });

  it.each(["infinity", "-infinity"])("%s is no time", (text) => expect(readInstant(text).getTime()).toBeNaN());

  it.each([
    ["German", "26.11.2026 09:30:00.123 UTC"],
    ["SQL", "05/11/2026 09:30:00.123 UTC"],
    ["Postgres", "Thu 26 Nov 09:30:00.123 2026 UTC"],
    ["none", "2026-13-01 00:00:00+00"],
  ])("is refused in the style %s: %s", (_, text) => {
    expect(() => readInstant(text)).toThrow(expect.objectContaining({ code: "UNREADABLE_ANSWER" }));
  });
});

it("bytes are the same in both forms of bytea_output", () => {
  const all = Buffer.from(Array.from({ length: 256 }, (_, n) => n));
  // As in byteaout, src/backend/utils/adt/varlena.c.
  const escaped = [...all].map((byte) => {
    if (byte === 0x5c) return "\\\\";
    return byte < 0x20 || byte > 0x7e ? `\\${byte.toString(8).padStart(3, "0")}` : String.fromCharCode(byte);
  });
  expect(readBytes(escaped.join(""))).toEqual(all);
  expect(readBytes(`\\x${all.toString("hex")}`)).toEqual(all);
  expect(readBytes("\\\\x41")).toEqual(Buffer.from("\\x41"));
  expect(readBytes("")).toEqual(Buffer.alloc(0));
});
