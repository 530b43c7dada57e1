import type { Stopwatch } from "../../../sdk/src/index.ts";
import { type Answer, AnswerMemory } from "./answer-memory.ts";
import type { Delivery } from "./delivery.ts";
import { type Sent, sendAnswer } from "./send-answer.ts";

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
