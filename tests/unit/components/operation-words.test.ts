import { expect, it } from "vitest";
import { countInWords, filterInWords, reasonsInWords, scopeInWords } from "#components/schedules/operation-words.ts";

const ANY = { statuses: null, q: null, from: null, to: null };

it("the set of an operation is described in a sentence", () => {
  expect(scopeInWords(null)).toBe("the ones that you chose");
  expect(scopeInWords(ANY)).toBe("all schedules");
  expect(scopeInWords({ ...ANY, statuses: ["scheduled", "failed"], q: "lumen" })).toBe(
    "all scheduled or retrying ones with “lumen” in the URL",
  );
  expect(scopeInWords({ ...ANY, q: "sch_01kbm5qk4f8rz3c2x7w9v6n1ta" })).toBe(
    "all schedules with the id sch_01kbm5qk4f8rz3c2x7w9v6n1ta",
  );
  expect(filterInWords({ ...ANY, statuses: ["dead"], q: "lumen", from: new Date() }, "UTC", "today")).toBe(
    "dead ones with “lumen” in the URL due today",
  );
  expect(
    scopeInWords({ ...ANY, from: new Date("2026-03-27T13:00:00Z"), to: new Date("2026-03-27T14:00:00Z") }, "UTC"),
  ).toBe("all schedules due between 27 March 2026, 13:00:00.000 UTC and 27 March 2026, 14:00:00.000 UTC");
  expect(scopeInWords({ ...ANY, to: new Date("2026-03-27T14:00:00Z") })).toBe(
    "all schedules due before 27 March 2026, 14:00:00.000 UTC",
  );
});

it('counts are written with their noun, and a lower bound says "more than"', () => {
  expect([countInWords(1), countInWords(1_281), countInWords(10_000, true)]).toEqual([
    ...["1 schedule", "1,281 schedules", "more than 10,000 schedules"],
  ]);
});

it("reasons come with the most frequent one first", () => {
  expect(reasonsInWords({ firing: 1, succeeded: 41 })).toEqual([
    ["Delivered already", 41],
    ["An attempt was under way", 1],
  ]);
});
