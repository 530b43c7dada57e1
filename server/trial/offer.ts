import { trialTarget } from "#domain/trial.ts";
import { readIsRunning } from "../health/beat.ts";
import { getServices } from "../services.ts";

/** Where a visitor can send a trial now; null where this installation has none, and while no dispatcher is running. */
export async function readTrialOffer(): Promise<string | null> {
  const { trials, baseUrl, targetPolicy } = getServices().config;
  const target = trials ? trialTarget(baseUrl, targetPolicy) : null;
  return target !== null && (await readIsRunning()) === true ? target : null;
}
