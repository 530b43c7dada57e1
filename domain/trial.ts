import { type TargetPolicy, validateTarget } from "./target-url.ts";

/** How long after the press a trial is due, ms. */
export const TRIAL_IN_MS = 5_000;

/** What a trial sends. */
export const TRIAL_BODY = '{"trial":true}';

/** Trials of an installation in one month (UTC). */
export const TRIALS_PER_MONTH = 20_000;

/** Trials of one network within any hour. */
export const TRIALS_PER_HOUR = 5;

/** The next trial of a network begins this long after the one before at the earliest, when that has its answer, s. */
export const TRIAL_EVERY_S = 8;

/** The path of the receiver of trials. */
const TRIAL_RECEIVER = "/try/receiver";

/**
 * Where trials are sent on an installation at `baseUrl`; null where there are none, since the address is not https or is not
 * allowed as a target.
 */
export function trialTarget(baseUrl: string, policy: TargetPolicy): string | null {
  if (!baseUrl.startsWith("https://")) return null;
  const target = validateTarget(baseUrl + TRIAL_RECEIVER, policy, "test");
  return target.ok ? target.url : null;
}
