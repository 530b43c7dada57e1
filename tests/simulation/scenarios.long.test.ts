// Guards: dispatcher/intake/**, dispatcher/admission/**, dispatcher/connections/**, dispatcher/rates/**, dispatcher/claiming/**, dispatcher/recording/**, dispatcher/sending/**, dispatcher/delivery/**, dispatcher/runtime/**, dispatcher/tuning/**, dispatcher/*.ts, domain/shard-share.ts, domain/retry.ts
import { describe, expect, it } from "vitest";
import { runScenario } from "./run-scenario.ts";
import { SCENARIOS } from "./scenarios.ts";

describe("in a simulated installation every promise holds, and the control group is on time, beside", () => {
  it.each(SCENARIOS)(
    "$name",
    async (scenario) => {
      const { broken } = await runScenario(scenario, 1);
      expect(broken).toEqual([]);
    },
    600_000,
  );
});

it("a scenario with a seed runs the same each time", async () => {
  const [scenario] = SCENARIOS.filter(({ name }) => name.includes("killed"));
  if (!scenario) throw new Error("there is no such scenario");
  const [first, second] = [await runScenario(scenario, 7), await runScenario(scenario, 7)];
  expect(second).toEqual(first);
});
