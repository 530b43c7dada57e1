import { ADMISSION } from "#dispatcher/tuning/admission.ts";
import { CLAIMING } from "#dispatcher/tuning/claiming.ts";
import { CONNECTIONS } from "#dispatcher/tuning/connections.ts";
import { DELIVERY, RESERVED } from "#dispatcher/tuning/delivery.ts";
import { INTAKE } from "#dispatcher/tuning/intake.ts";
import { RECORDING } from "#dispatcher/tuning/recording.ts";
import { RUNTIME } from "#dispatcher/tuning/runtime.ts";
import { SENDING } from "#dispatcher/tuning/sending.ts";
import { STATEMENTS } from "#dispatcher/tuning/statements.ts";
import { runScenario } from "./run-scenario.ts";
import type { Scenario } from "./scenario.ts";

const TUNED: Record<string, Record<string, number>> = {
  ADMISSION,
  CLAIMING,
  CONNECTIONS,
  DELIVERY,
  INTAKE,
  RECORDING,
  RESERVED,
  RUNTIME,
  SENDING,
  STATEMENTS,
};

/** A number of `dispatcher/tuning/`, by its name, such as INTAKE.nearMs. */
export type Tuned = { name: string; value: number; set(value: number): void };

export const TUNED_NUMBERS: readonly Tuned[] = Object.entries(TUNED).flatMap(([group, numbers]) =>
  Object.entries(numbers).map(([key, value]) => ({
    name: `${group}.${key}`,
    value,
    set(other: number) {
      numbers[key] = other;
    },
  })),
);

/** Half of a number and twice it; of a factor just above one, of what it adds. What was whole stays whole, and at least one. */
export function halfAndTwice({ value }: Tuned): { half: number; twice: number } {
  const by = (factor: number) => {
    if (Number.isInteger(value)) return Math.max(Math.round(value * factor), 1);
    return value > 1 && value < 2 ? 1 + (value - 1) * factor : value * factor;
  };
  return { half: by(0.5), twice: by(2) };
}

/** How the control group fared, and what was broken. */
export type Figures = Awaited<ReturnType<typeof runScenario>>;

/** Plays a scenario with another value of one number. Each dispatcher of it reads the number anew. */
export async function runWith(tuned: Tuned, value: number, scenario: Scenario): Promise<Figures> {
  tuned.set(value);
  try {
    return await runScenario(scenario, 1);
  } finally {
    tuned.set(tuned.value);
  }
}

/** As the numbers are, with five seeds. */
export async function runUnchanged(scenario: Scenario): Promise<Figures[]> {
  const figures = [];
  for (let seed = 1; seed <= 5; seed++) figures.push(await runScenario(scenario, seed));
  return figures;
}

/** The control group's p99 differs when it is this many times, and this many ms, beyond those of all seeds. */
const DIFFERS = { times: 1.5, ms: 5 };

/**
 * What another value of a number changed in a scenario: a promise that it broke and no seed breaks without, or the control group's
 * p99; null for nothing.
 */
export function changeOf(unchanged: readonly Figures[], { broken, p99 }: Figures): string | null {
  if (broken[0] !== undefined && unchanged.every((one) => one.broken.length === 0)) return broken[0];
  const all = unchanged.map((one) => one.p99);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const isMore = p99 > Math.max(most * DIFFERS.times, most + DIFFERS.ms);
  const isLess = p99 < Math.min(least / DIFFERS.times, least - DIFFERS.ms);
  return isMore || isLess ? `p99 ${p99.toFixed(1)} ms, otherwise ${least.toFixed(1)} to ${most.toFixed(1)}` : null;
}
