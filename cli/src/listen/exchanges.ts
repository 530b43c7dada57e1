import { type Stopwatch, StopwatchError } from "../../../sdk/src/index.ts";
import { pauseUntil } from "../pause.ts";
import { type Answer, AnswerMemory } from "./answer-memory.ts";
import { backOffMs } from "./back-off.ts";
import type { Delivery } from "./delivery.ts";

/** A delivery that was forwarded, and what became of it. */
export type Forwarded = {
  delivery: Delivery;
  /** When it came, epoch ms. */
  cameAtMs: number;
  /** How long the local server took, until the service gave up where it did, ms. */
  tookMs: number;
  answer: Answer;
  sent: Sent;
};

export type ExchangesDeps = {
  client: Pick<Stopwatch, "request">;
  /** Has a delivery answered. Never rejects. */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<Answer>;
  onForwarded(forwarded: Forwarded): void;
  /** The key is refused, or something went wrong that should not. */
  onError(error: unknown): void;
};

/** Why an exchange is given up, which is then what became of its answer: the attempt is over, or this process ends. */
const [OVER, ENDED]: [Sent, Sent] = ["too late", { problem: "listen ended" }];

/** The service says when an attempt is over. In case it cannot, a local request is given up this long after its deadline. */
const GRACE_MS = 2_000;
const LONGEST_MS = 60_000;

/** The deliveries that are being answered, and those that were. Each one is forwarded at most once. */
export class Exchanges {
  readonly #deps: ExchangesDeps;
  readonly #memory = new AnswerMemory();
  readonly #open = new Map<string, AbortController>();
  readonly #ended = new AbortController();
  #onIdle: (() => void) | undefined;

  constructor(deps: ExchangesDeps) {
    this.#deps = deps;
  }

  /**
   * Takes a delivery that the service handed to `listener`. One that came before is answered again from memory; one that is
   * past its deadline (`nowMs`: epoch ms by the service's clock) is left alone. Returns whether it is forwarded.
   */
  take(delivery: Delivery, listener: string, nowMs: number): boolean {
    const leftMs = delivery.deadlineMs - nowMs;
    if (leftMs < -GRACE_MS) return false;
    if (this.#memory.begin(delivery.id, performance.now())) {
      this.#report(this.#forward(delivery, listener, leftMs + GRACE_MS));
      return true;
    }
    const answer = this.#memory.answerTo(delivery.id);
    if (answer) this.#report(sendAnswer(this.#deps.client, { id: delivery.id, listener, answer }, this.#ended.signal));
    return false;
  }

  /** The service gave an exchange up: nobody waits for the local server any more. */
  giveUp(id: string): void {
    this.#open.get(id)?.abort(OVER);
  }

  /** How many are being answered. */
  get open(): number {
    return this.#open.size;
  }

  /** Resolves once none is being answered, or after `ms`. Returns how many were given up then. */
  async drain(ms: number): Promise<number> {
    if (this.#open.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#onIdle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    const left = this.#open.size;
    this.#ended.abort(ENDED);
    for (const controller of this.#open.values()) controller.abort(ENDED);
    return left;
  }

  async #forward(delivery: Delivery, listener: string, leftMs: number): Promise<void> {
    const { client, deliver, onForwarded } = this.#deps;
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(OVER), Math.min(leftMs, LONGEST_MS));
    this.#open.set(delivery.id, controller);
    const [cameAtMs, startedAtMs] = [Date.now(), performance.now()];
    try {
      const answer = await deliver(delivery, controller.signal);
      const tookMs = Math.round(performance.now() - startedAtMs);
      const { signal } = controller;
      if (!signal.aborted) this.#memory.keep(delivery.id, answer);
      const sent = await sendAnswer(client, { id: delivery.id, listener, answer }, signal);
      onForwarded({ delivery, cameAtMs, tookMs, answer, sent });
    } finally {
      clearTimeout(timer);
      this.#open.delete(delivery.id);
      if (this.#open.size === 0) this.#onIdle?.();
    }
  }

  #report(work: Promise<unknown>): void {
    work.catch((error) => this.#deps.onError(error));
  }
}

/** What became of an answer: recorded; too late for the service; or not sent, and why. */
type Sent = "recorded" | "too late" | { problem: string };

/** An answer that could not be sent for this long counts no more, ms: an attempt ends after 30 s. */
const GIVE_UP_MS = 35_000;

/**
 * Sends an answer, again and again while the service cannot be reached or is busy: the same answer twice counts once. Ends
 * with the reason of `signal`, a Sent, when that is aborted. Throws the StopwatchError when the key is refused.
 */
async function sendAnswer(
  client: Pick<Stopwatch, "request">,
  exchange: { id: string; listener: string; answer: Answer },
  signal: AbortSignal,
): Promise<Sent> {
  const { id, listener, answer } = exchange;
  const path = `/v1/listen/${encodeURIComponent(id)}/answer`;
  const giveUpAtMs = performance.now() + GIVE_UP_MS;
  for (let failures = 1; !signal.aborted; failures++) {
    try {
      await client.request("POST", path, { body: { listener, ...answer } }, { signal, maxRetries: 0 });
      return "recorded";
    } catch (error) {
      if (signal.aborted) break;
      if (!StopwatchError.is(error)) throw error;
      const { status = 0, retryAfterMs } = error;
      if (status === 401 || status === 403) throw error;
      if (status === 404 || status === 409) return "too late";
      const isPassing = status === 0 || status === 408 || status === 429 || status >= 500;
      const waitMs = backOffMs(failures, Math.random(), retryAfterMs);
      if (!isPassing || performance.now() + waitMs > giveUpAtMs) return { problem: error.message };
      await pauseUntil(waitMs, signal);
    }
  }
  return signal.reason;
}
