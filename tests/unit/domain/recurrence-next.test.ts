import { describe, expect, it } from "vitest";
import { type CronRule, parseCron } from "#domain/cron.ts";
import { presentNext } from "#domain/recurrence-next.ts";

function rule(text: string): CronRule {
  const parsed = parseCron(text);
  if (!parsed.ok) throw new Error(parsed.fault.message);
  return parsed.rule;
}

const berlin = (cron: string, from: string, shareMs = 0) =>
  presentNext(
    { rule: rule(cron), zone: "Europe/Berlin", onClockChange: "first", endsAtMs: null },
    { nowMs: Date.parse(from), shareMs, countMax: 2 },
  );

describe("the next times of a recurrence", () => {
  it("say what clocks of the zone show, and mark a time of day that they skip", () => {
    expect(berlin("30 2 * * *", "2031-03-29T12:00:00Z")).toEqual([
      { fire_at: "2031-03-30T01:30:00.000Z", local: "2031-03-30T03:30:00", offset: "+02:00", clock_change: "gap" },
      { fire_at: "2031-03-31T00:30:00.000Z", local: "2031-03-31T02:30:00", offset: "+02:00", clock_change: null },
    ]);
  });

  it("mark a time of day that they repeat", () => {
    expect(berlin("30 2 * * *", "2031-10-25T12:00:00Z")[0]).toEqual({
      ...{
        fire_at: "2031-10-26T00:30:00.000Z",
        local: "2031-10-26T02:30:00",
        offset: "+02:00",
        clock_change: "repeat",
      },
    });
  });

  it("are later by the share of the spread, and go on while one waits for its share", () => {
    const [first] = berlin("0 9 * * *", "2031-01-01T08:00:30Z", 90_000);
    expect(first).toMatchObject({ fire_at: "2031-01-01T08:01:30.000Z", local: "2031-01-01T09:01:30" });
  });

  it("have offsets with minutes, and west of Greenwich", () => {
    const inZone = (zone: string) =>
      presentNext(
        { rule: rule("0 9 * * *"), zone, onClockChange: "first", endsAtMs: null },
        { nowMs: 0, shareMs: 0 },
      )[0];
    expect(inZone("Asia/Kolkata")?.offset).toBe("+05:30");
    expect(inZone("America/New_York")?.offset).toBe("-05:00");
  });
});
