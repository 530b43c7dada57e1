import { describe, expect, it } from "vitest";
import { NO_DELIVERY_TEXT, readDeliveryText, writeDeliveryText } from "#domain/delivery-text.ts";

const read = (text: Partial<typeof NO_DELIVERY_TEXT>) => readDeliveryText({ ...NO_DELIVERY_TEXT, ...text });

describe("typed delivery options", () => {
  it("are read as the API takes them, and are none when nothing is typed", () => {
    const text = { timeout: " 5s ", retryDelays: "2s,10s 1m", giveUp: "410, 400-404", expires: "2h" };
    expect(read(text)).toEqual({
      delivery: {
        timeoutMs: 5_000,
        retryDelaysMs: [2_000, 10_000, 60_000],
        giveUpStatuses: [410, "400-404"],
        expiresIn: "2h",
      },
      problems: [],
    });
    expect(read({ retryDelays: "none", giveUp: "None", expires: "2031-01-01T09:00:00Z" }).delivery).toEqual({
      retryDelaysMs: [],
      giveUpStatuses: [],
      expiresAt: "2031-01-01T09:00:00Z",
    });
    expect(read({ timeout: " " })).toEqual({ delivery: undefined, problems: [] });
  });

  it.each([
    [{ timeout: "5" }, "timeout", "the unit is missing"],
    [{ timeout: "1m" }, "timeout", "must be from 1s to 30s"],
    [{ retryDelays: "2s, 8d" }, "retryDelays", "Wait 2 must be from 1s to 1w"],
    [{ giveUp: "410, 200" }, "giveUp", "Entry 2 must be a status from 300 to 599"],
    [{ giveUp: "404-400" }, "giveUp", "Entry 1 must be a status"],
    [{ expires: "tomorrow" }, "expires", "must be a duration, such as 2h, or an instant"],
  ])("that cannot be read are a problem of their field: %j", (text, field, message) => {
    expect(read(text)).toEqual({
      delivery: undefined,
      problems: [{ field, message: expect.stringContaining(message) }],
    });
  });

  it("are written as they are read, with an expiry by duration where it was given so", () => {
    const options = { timeoutMs: 1_500, retryDelaysMs: [90_000], giveUpStatuses: [], expiresInMs: 7_200_000 };
    const text = { timeout: "1.5s", retryDelays: "1m30s", giveUp: "none", expires: "2h" };
    expect(writeDeliveryText({ ...options, expiresAtMs: 1_900_000_000_000 })).toEqual(text);
    expect(read(text).delivery).toEqual({
      timeoutMs: 1_500,
      retryDelaysMs: [90_000],
      giveUpStatuses: [],
      expiresIn: "2h",
    });
    expect(writeDeliveryText({ expiresAtMs: 1_900_000_000_000 }).expires).toBe("2030-03-17T17:46:40.000Z");
    expect(writeDeliveryText(null)).toEqual(NO_DELIVERY_TEXT);
  });
});
