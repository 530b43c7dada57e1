import { checkNumbers, invalid, orInvalid } from "../client/invalid.ts";
import type { Environment } from "../types.ts";
import { Account, type AccountSettings, type RetryRule, type Stored } from "./account.ts";
import { answer } from "./answer.ts";
import { type DeliveryHandler, deliver, type FakeDelivery } from "./deliver.ts";
import { parseDuration } from "./durations.ts";
import { parseInstant } from "./instants.ts";
import { LIMITS, type Plan } from "./limits.ts";
import { runOperations } from "./operations.ts";
import { signingSecrets } from "./secrets.ts";
import { originOf } from "./targets.ts";

export type FakeOptions = {
  /** Takes the deliveries in place of their targets. Each is answered with 200 unless given. */
  onDelivery?: DeliveryHandler | undefined;
  /** Where the clock stands at first. The present time unless given. */
  now?: Date | string | undefined;
  /** The environment of the key; `test` unless given. */
  env?: Environment | undefined;
  /** The plan, which sets quota and limits; `free` unless given. */
  plan?: Plan | undefined;
  /** Schedules that were created this month already; 0 unless given. */
  scheduled?: number | undefined;
  /** Relay settings of the account; the plan's defaults unless given. Values beyond the plan's limits are clamped. */
  relaySettings?: (Partial<RetryRule> & { earlyFire?: boolean | undefined }) | undefined;
  /** Origins such as `http://localhost:3000` that are targets, too: DELIVERY_ALLOW of an installation. */
  allowedTargets?: readonly string[] | undefined;
  /** Draws the jitter of a retry: a number from 0 to 1. Always 0 unless given. */
  random?: (() => number) | undefined;
  /** Takes what `onDelivery` throws. `console.error` unless given. */
  onError?: ((error: unknown, delivery: FakeDelivery) => void) | undefined;
};

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export type FakeStopwatch = {
  /** The one key that is known. It is the same in every run. */
  readonly apiKey: string;
  readonly baseUrl: string;
  /** Answers as the service does, whatever the host. */
  readonly fetch: Fetch;
  /** For the client: `new Stopwatch(fake.apiKey, fake.options)`. */
  readonly options: { readonly baseUrl: string; readonly fetch: Fetch };
  /** The current signing secret and the next one. */
  readonly secrets: string[];
  /** Takes the deliveries; it may be replaced at any time. */
  onDelivery: DeliveryHandler;
  /** The attempts so far, in their order. */
  readonly deliveries: readonly FakeDelivery[];
  /** What the clock shows. It moves by `advance` alone. */
  now(): Date;
  /**
   * Moves the clock by a duration (`"30m"`) or to an instant, and makes each attempt that falls due on the way at its
   * instant, one after the other, also of schedules that a handler creates meanwhile. Without an argument it makes those
   * that are due now. Resolves to the attempts that it made.
   */
  advance(to?: string | Date): Promise<FakeDelivery[]>;
  /** Forgets everything, and sets the clock to where it stood at first. `onDelivery` stays. */
  reset(): void;
};

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

  const fetch: Fetch = async (input, init) => {
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

/** The schedule that is due first, until an instant; of several the one that was created first. */
function nextDue(account: Account, untilMs: number): Due | undefined {
  runOperations(account);
  let first: Due | undefined;
  for (const schedule of account.schedules.values()) {
    const { nextMs } = schedule;
    if (nextMs !== null && nextMs <= untilMs && (!first || nextMs < first.nextMs)) first = schedule as Due;
  }
  return first;
}

function readUntil(to: string | Date, nowMs: number): number {
  const durationMs = typeof to === "string" ? parseDuration(to) : null;
  const untilMs = durationMs === null ? readInstant("to", to) : nowMs + durationMs;
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
  const {
    retryAttempts = 4,
    retryBackoffMs = 30_000,
    retryStrategy = "exponential",
    earlyFire = false,
  } = relaySettings;
  checkOne("env", env, Object.keys(KEYS));
  checkOne("plan", plan, Object.keys(LIMITS));
  checkOne("relaySettings.retryStrategy", retryStrategy, ["exponential", "linear", "fixed"]);
  checkNumbers({ scheduled, retryAttempts, retryBackoffMs });
  return {
    ...{ env, plan, scheduled, earlyFire },
    nowMs: readInstant("now", now),
    retries: {
      retryAttempts: Math.min(retryAttempts, LIMITS[plan].retryAttempts),
      retryBackoffMs: Math.min(Math.max(retryBackoffMs, 1_000), 3_600_000),
      retryStrategy,
    },
    allowedTargets: new Set((options.allowedTargets ?? []).map(readOrigin)),
  };
}

function checkOne(field: string, value: string, known: readonly string[]): void {
  if (!known.includes(value)) throw invalid(field, `must be one of ${known.join(", ")}`);
}

function readOrigin(origin: string): string {
  const url = /^https?:\/\//i.test(origin) ? origin : `https://${origin}`;
  return orInvalid("allowedTargets", "must be origins, such as http://localhost:3000", () => originOf(new URL(url)));
}
