import { describe, expect, it } from "vitest";
import { emptyRecurrence, type RecurrenceDraft, readRecurrenceDraft, readTimes } from "#domain/recurrence-draft.ts";

const NOW = Date.UTC(2031, 0, 1);
const read = (change: Partial<RecurrenceDraft>) => readTimes({ ...emptyRecurrence("Europe/Berlin"), ...change }, NOW);

describe("the draft of a recurrence", () => {
  it("is read from the fields of its form, with the first of what is not known", () => {
    const fields = new FormData();
    for (const [name, value] of Object.entries({
      cron: "0 9 * * *",
      overlap: "skip",
      catchUp: "x",
      url: "u",
      giveUp: "410",
    }))
      fields.append(name, value);
    expect(readRecurrenceDraft(fields)).toMatchObject({
      ...{ cron: "0 9 * * *", overlap: "skip", catchUp: "latest", onClockChange: "first" },
      ...{ url: "u", giveUp: "410", method: "POST", name: "" },
    });
  });

  it("says when it fires and how often", () => {
    expect(read({ ends: "2031-06-01 09:00", spread: "10m" })).toMatchObject({
      ok: true,
      times: { zone: "Europe/Berlin", endsAtMs: Date.UTC(2031, 5, 1, 7) },
      spreadMs: 600_000,
      spacing: { monthly: 22 },
    });
  });

  it.each([
    [{ cron: "0 25 * * *" }, "cron", "The rule is wrong at character 3: hour: a value is 0 to 23."],
    [{ cron: "0 9 * *" }, "cron", "The rule has 4 of five fields"],
    [{ cron: "0 9 * * 1-5 /usr/bin/backup" }, "cron", "paste only 0 9 * * 1-5"],
    [{ zone: "Europe/Berlni" }, "zone", "Did you mean Europe/Berlin?"],
    [{ ends: "whenever" }, "ends", "This time is not understood"],
    [{ spread: "2h" }, "spread", "up to 1h"],
    [{ spread: "much" }, "spread", "must be a duration"],
  ])("names the field that is wrong: %j", (change, field, message) => {
    expect(read(change)).toEqual({ ok: false, problems: [{ field, message: expect.stringContaining(message) }] });
  });
});
