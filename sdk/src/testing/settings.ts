import { parseInstant } from "../../../domain/instant.ts";
import { PLAN_NAMES, parsePlans, RETRY_STRATEGIES } from "../../../domain/plans.ts";
import { parseTargetPolicy } from "../../../domain/target-url.ts";
import { checkNumbers, invalid, orInvalid } from "../client/invalid.ts";
import type { AccountSettings } from "./account.ts";
import type { FakeOptions } from "./public.ts";

/** The one key of a fake, by its environment. */
export const KEYS = {
  live: "sw_live_FakeStopwatchFakeStopwatchFake003TpuzB",
  test: "sw_test_FakeStopwatchFakeStopwatchFake000GBsEe",
};

/** What a fake begins with. Throws INVALID_ARGUMENT for options that it cannot take. */
export function settingsOf(options: FakeOptions): AccountSettings {
  const { now = new Date(), env = "test", plan = "free", scheduled = 0, relaySettings = {} } = options;
  checkOne("env", env, Object.keys(KEYS));
  checkOne("plan", plan, PLAN_NAMES);
  const limits = parsePlans(undefined)[plan];
  const { retryAttempts, retryBackoffMs, retryStrategy, earlyFire } = { ...limits, ...given(relaySettings) };
  checkOne("relaySettings.retryStrategy", retryStrategy, RETRY_STRATEGIES);
  checkNumbers({ scheduled, retryAttempts, retryBackoffMs });
  return {
    ...{ env, plan, limits, scheduled, earlyFire },
    nowMs: readInstant("now", now),
    retries: {
      retryAttempts: Math.min(retryAttempts, limits.retryAttemptsMax),
      retryBackoffMs: Math.min(Math.max(retryBackoffMs, limits.retryBackoffMsMin), limits.retryBackoffMsMax),
      retryStrategy,
    },
    targets: parseTargetPolicy((options.allowedTargets ?? []).map(readOrigin).join(), ""),
  };
}

/** An instant, epoch ms. Throws INVALID_ARGUMENT, which names the field. */
export function readInstant(field: string, given: string | Date): number {
  const ms = typeof given === "string" ? parseInstant(given) : given instanceof Date ? given.getTime() : null;
  if (ms === null || Number.isNaN(ms))
    throw invalid(field, 'must be a Date, an instant such as "2031-01-01T09:00:00Z" or, in advance, a duration: "30m"');
  return ms;
}

/** The options that are not undefined. */
function given<T extends object>(options: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof T]?: Exclude<T[Name], undefined> };
}

function checkOne(field: string, value: string, known: readonly string[]): void {
  if (!known.includes(value)) throw invalid(field, `must be one of ${known.join(", ")}`);
}

/** An origin as DELIVERY_ALLOW has it, always with its port. */
function readOrigin(origin: string): string {
  return orInvalid("allowedTargets", "must be origins, such as http://localhost:3000", () => {
    const url = new URL(/^https?:\/\//i.test(origin) ? origin : `https://${origin}`);
    return `${url.protocol}//${url.hostname}:${url.port || (url.protocol === "http:" ? 80 : 443)}`;
  });
}
