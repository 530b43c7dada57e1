import { durationMs } from "../../../domain/duration.ts";
import { invalid } from "../client/invalid.ts";
import { Account } from "./account.ts";
import { answer } from "./answer.ts";
import { deliver } from "./deliver.ts";
import { nextDue } from "./due.ts";
import type { FakeDelivery, FakeOptions, FakeStopwatch } from "./public.ts";
import { signingSecrets } from "./secrets.ts";
import { KEYS, readInstant, settingsOf } from "./settings.ts";

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

function readUntil(to: string | Date, nowMs: number): number {
  const lengthMs = typeof to === "string" ? durationMs(to) : null;
  const untilMs = lengthMs === null ? readInstant("to", to) : nowMs + lengthMs;
  if (untilMs < nowMs) throw invalid("to", "must not be before the fake's now(): its clock does not go back");
  return untilMs;
}
