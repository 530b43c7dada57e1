import { expect, it } from "vitest";
import { linesOf } from "../../chaos/lines.ts";

it("the evidence of a chaos run is written entry by entry, so that it may be longer than a string", () => {
  const parts = { options: { seed: 1 }, arrivals: [{ attempt: 1 }, { attempt: 2 }], audits: [] };
  expect([...linesOf(parts)].map((line) => JSON.parse(line))).toEqual([
    { options: { seed: 1 } },
    { arrivals: { attempt: 1 } },
    { arrivals: { attempt: 2 } },
  ]);
});
