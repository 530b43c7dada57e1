import { durationMs } from "../../../domain/duration.ts";
import { parseInstant } from "../../../domain/instant.ts";
import { PLAN_NAMES, parsePlans, RETRY_STRATEGIES } from "../../../domain/plans.ts";
import { parseTargetPolicy } from "../../../domain/target-url.ts";
import { checkNumbers, invalid, orInvalid } from "../client/invalid.ts";
import { Account, type AccountSettings, type Stored } from "./account.ts";
import { answer } from "./answer.ts";
import { deliver } from "./deliver.ts";
import { runOperations } from "./operations.ts";
import type { FakeDelivery, FakeOptions, FakeStopwatch } from "./public.ts";
import { isLeftOut, stepFirst } from "./recurrences.ts";
import { signingSecrets } from "./secrets.ts";

const KEYS = {
  live: "sw_live_FakeStopwatchFakeStopwatchFake003TpuzB",
  test: "sw_test_FakeStopwatchFakeStopwatchFake000GBsEe",
};

/** The most schedules made and attempted at one instant. More suggest that a handler makes them without end. */
const AT_ONCE_MAX = 1_000;

/**
 * The service in memory, with a clock of its own: one account in one environment. Throws INVALID_ARGUMENT for options that
 * it cannot take.
 */
export function fakeStopwatch(options: FakeOptions = {}): FakeStopwatch {
  const { env = "test", onError = console.error, random = () => 0 } = options;
  const settings = settingsOf(options);
  const apiKey = KEYS[env];
  const baseUrl = "https://stopwatch.invalid";
  const deliveries: FakeDelivery[] = [];
  let account = new Account(settings);
  let isAdvancing = false;

  const fetch: FakeStopwatch["fetch"] = async (input, init) => {
    const request = new Request(input, init);
    if (request.signal.aborted) throw request.signal.reason;
    return answer(account, apiKey, request);
  };

  const fake: FakeStopwatch = {
    ...{ apiKey, baseUrl, fetch, deliveries, options: { baseUrl, fetch } },
    onDelivery: options.onDelivery ?? (() => new Response()),
    get secrets() {
      const { current, next } = signingSecrets(account);
      return [current, next];
    },
    now: () => new Date(account.nowMs),
    async advance(to = "0s") {
      if (isAdvancing) throw invalid("advance", "is under way already: await it, and do not call it in onDelivery");
      const untilMs = readUntil(to, account.nowMs);
      const before = deliveries.length;
      let atOnce = 0;
      isAdvancing = true;
      try {
        for (let due = nextDue(account, untilMs); due; due = nextDue(account, untilMs)) {
          if (due.nextMs > account.nowMs) atOnce = 0;
          account.nowMs = Math.max(account.nowMs, due.nextMs);
          if (due.createdMs === account.nowMs && ++atOnce > AT_ONCE_MAX)
            throw invalid("advance", `does not end: onDelivery has made ${AT_ONCE_MAX} schedules that fire at once`);
          const delivery = await deliver(account, due, (request) => fake.onDelivery(request), random);
          deliveries.push(delivery);
          if (delivery.error !== undefined) onError(delivery.error, delivery);
        }
        account.nowMs = untilMs;
        account.expire();
      } finally {
        isAdvancing = false;
      }
      return deliveries.slice(before);
    },
    reset() {
      if (isAdvancing) throw invalid("reset", "must not be called while the clock advances");
      account = new Account(settings);
      deliveries.length = 0;
    },
  };
  return fake;
}

type Due = Stored & { nextMs: number };

/** The schedule that is due first, until an instant, once recurrences have made what is to exist by then. */
function nextDue(account: Account, untilMs: number): Due | undefined {
  runOperations(account);
  for (;;) {
    const first = findDue(account, untilMs);
    if (stepFirst(account, first?.nextMs ?? untilMs)) continue;
    if (!first?.isHeld) return first;
    const atMs = Math.max(account.nowMs, first.nextMs);
    if (!isLeftOut(account, first, atMs)) return first;
  }
}

/** The schedule that is due first, until an instant; of several the one that was created first. */
function findDue(account: Account, untilMs: number): Due | undefined {
  let first: Due | undefined;
  for (const schedule of account.schedules.values()) {
    const { nextMs } = schedule;
    if (nextMs !== null && nextMs <= untilMs && (!first || nextMs < first.nextMs)) first = schedule as Due;
  }
  return first;
}

function readUntil(to: string | Date, nowMs: number): number {
  const lengthMs = typeof to === "string" ? durationMs(to) : null;
  const untilMs = lengthMs === null ? readInstant("to", to) : nowMs + lengthMs;
  if (untilMs < nowMs) throw invalid("to", "must not be before the fake's now(): its clock does not go back");
  return untilMs;
}

function readInstant(field: string, given: string | Date): number {
  const ms = typeof given === "string" ? parseInstant(given) : given instanceof Date ? given.getTime() : null;
  if (ms === null || Number.isNaN(ms))
    throw invalid(field, 'must be a Date, an instant such as "2031-01-01T09:00:00Z" or, in advance, a duration: "30m"');
  return ms;
}

function settingsOf(options: FakeOptions): AccountSettings {
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
