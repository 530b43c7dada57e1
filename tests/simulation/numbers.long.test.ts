// Guards: dispatcher/tuning/**, dispatcher/admission/**, dispatcher/intake/**, dispatcher/runtime/turn-queue.ts
import { expect, it } from "vitest";
import { processEnv } from "#config.ts";
import { SCENARIOS } from "./scenarios.ts";
import { changeOf, type Figures, halfAndTwice, runUnchanged, runWith, TUNED_NUMBERS } from "./vary.ts";

const TEN_HOURS_MS = 36_000_000;
const { NUMBERS, EXCEPT } = processEnv();
/** NUMBERS=INTAKE,RUNTIME.lateMs plays each scenario with half and with twice of these; those of EXCEPT=200,000;40,000 are left out. */
const chosen = TUNED_NUMBERS.filter(({ name }) => NUMBERS?.split(",").some((one) => name.startsWith(one)));
const scenarios = SCENARIOS.filter(({ name }) => !EXCEPT?.split(";").some((one) => name.startsWith(one)));

/** What is called `name` among these. */
const called = <T extends { name: string }>(all: readonly T[], name: string): T =>
  all.find((one) => one.name === name) ?? expect.fail(`there is no "${name}"`);

const itIfChosen = chosen.length > 0 ? it : () => {};
itIfChosen(
  "prints what half and twice of a tuned number changes, in which scenario",
  async () => {
    const unchanged = new Map<string, Figures[]>();
    for (const one of scenarios) unchanged.set(one.name, await runUnchanged(one));
    for (const one of chosen) {
      for (const [which, value] of Object.entries(halfAndTwice(one))) {
        const changes = [];
        for (const played of value === one.value ? [] : scenarios) {
          const change = changeOf(unchanged.get(played.name) ?? [], await runWith(one, value, played));
          if (change) changes.push(`\n    ${played.name}: ${change}`);
        }
        process.stdout.write(`  ${one.name} ${one.value}, ${which} ${value}:${changes.join("") || " nothing"}\n`);
      }
    }
  },
  TEN_HOURS_MS,
);

it("without turns for what is on time, nobody is on time beside 40,000 accounts at one instant", async () => {
  const onTimeTurn = called(TUNED_NUMBERS, "RUNTIME.onTimeTurn");
  const crowd = called(SCENARIOS, "40,000 accounts at one instant");
  const { broken } = await runWith(onTimeTurn, Number.MAX_SAFE_INTEGER, crowd);
  expect(broken.join()).toMatch(/p99 is \d{4,}/);
}, 600_000);
