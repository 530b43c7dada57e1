// Guards: dispatcher/intake/**, dispatcher/admission/**, dispatcher/connections/**, dispatcher/rates/**, dispatcher/claiming/**, dispatcher/recording/**, dispatcher/sending/**, dispatcher/delivery/**, dispatcher/runtime/**, dispatcher/tuning/**, dispatcher/*.ts, domain/shard-share.ts, domain/retry.ts
import { describe, expect, it } from "vitest";
import { processEnv } from "#config.ts";
import { randomScenario } from "./random-scenario.ts";
import { runScenario } from "./run-scenario.ts";

/** SEEDS=1-1000 plays a thousand; SEEDS=17 replays one. */
const [first = 1, last = first] = (processEnv().SEEDS ?? "1-40").split("-").map(Number);
const SEEDS = Array.from({ length: last - first + 1 }, (_, n) => first + n);

describe("in a simulated installation every promise holds in the random scenario of seed", () => {
  it.each(SEEDS)(
    "%i",
    async (seed) => {
      const scenario = randomScenario(seed);
      const { broken } = await runScenario(scenario, seed);
      expect(broken, `${scenario.name}, with ${scenario.dispatchers} dispatchers`).toEqual([]);
    },
    600_000,
  );
});
