import { describe, expect, it } from "vitest";
import { canTransition, isTerminal, STATUSES } from "#domain/states.ts";

describe("the states of a schedule", () => {
  it("change only as the transition table says", () => {
    const possible = STATUSES.flatMap((from) =>
      STATUSES.filter((to) => canTransition(from, to)).map((to) => `${from} → ${to}`),
    );
    expect(possible.sort()).toEqual(
      [
        ...[
          "scheduled → firing",
          "scheduled → scheduled",
          "scheduled → dead",
          "scheduled → cancelled",
          "failed → firing",
          "failed → failed",
          "failed → dead",
          "failed → cancelled",
        ],
        ...["firing → succeeded", "firing → failed", "firing → dead", "firing → scheduled", "firing → cancelled"],
      ].sort(),
    );
  });

  it("are final once succeeded, dead or cancelled", () => {
    expect(STATUSES.filter(isTerminal)).toEqual(["succeeded", "dead", "cancelled"]);
  });
});
