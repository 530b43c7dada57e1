import type { Environment } from "../types.ts";

/** A plan of a new installation. */
export type Plan = "free" | "indie";

/** Retries after a failure. */
export type RetryRule = {
  retryAttempts: number;
  retryBackoffMs: number;
  retryStrategy: "exponential" | "linear" | "fixed";
};

/** One attempt and its outcome. */
export type FakeDelivery = {
  /** The schedule that was attempted. */
  readonly scheduleId: string;
  /** Counts from 1. */
  readonly attempt: number;
  /** When it was attempted, by the fake's clock. */
  readonly at: Date;
  readonly method: string;
  readonly url: string;
  /** The headers of the request, names in lower case. */
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
  /** The status of the answer; null when there was none. */
  readonly status: number | null;
  /** What the handler threw, if it did. */
  readonly error: unknown;
  /** The status of the schedule after the attempt. */
  readonly outcome: "succeeded" | "failed" | "dead";
  /** When the next attempt is due; null when none follows. */
  readonly nextAttemptAt: Date | null;
};

/** Handles a delivery in place of its target. */
export type DeliveryHandler = (request: Request) => Response | Promise<Response>;

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
