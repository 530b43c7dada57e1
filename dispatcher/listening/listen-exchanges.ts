import type { Database } from "#db/client.ts";
import { endExchanges, eraseAnswers } from "#db/queries/listen/end-exchanges.ts";
import { insertExchange, type NewExchange } from "#db/queries/listen/insert-exchange.ts";
import { type ExchangeStanding, readExchanges } from "#db/queries/listen/read-exchanges.ts";
import type { ExchangeIdentity } from "#domain/associated-data.ts";
import type { KeyRing } from "#domain/cipher.ts";
import { newId } from "#domain/ids.ts";
import {
  type ExchangeAnswer,
  type ExchangeRequest,
  openExchangeAnswer,
  sealExchangeRequest,
} from "#domain/listen-exchange.ts";
import { LISTEN_ORIGIN } from "#domain/listen-origin.ts";
import { ATTEMPT_DEADLINE_MS, attemptMaxMs } from "#domain/timing.ts";
import { type CarriedAttempt, ListenerFailed } from "../delivery/connection.ts";
import type { Time } from "../runtime/clock.ts";

const DEADLINE_MS = 3_000;
/** An answer is taken until this long before the attempt runs out of time, so that it is read by then, ms. */
const READ_WITHIN_MS = 500;

type Deps = {
  database: Database;
  keyRing: KeyRing;
  clock: Time;
  onError: (error: unknown) => void;
};

type Waiting = {
  of: ExchangeIdentity;
  on: { answered(answer: ExchangeAnswer): void; failed(error: Error): void };
  /** Whether its statement has ended, or an answer was announced: the row is there, or is not any more. */
  isWritten: boolean;
  /** What it means when the row is not there. */
  lost: string;
};

/**
 * The requests that this process has written for listeners, and whose answers it waits for. Rows that nobody answers are
 * found by reading them: the listener left, or the server lost the unlogged table in a crash.
 */
export class ListenExchanges {
  readonly #deps: Deps;
  readonly #waiting = new Map<string, Waiting>();
  /** Rows whose attempt has ended without their answer. */
  readonly #dropped = new Set<string>();
  /** Called when `runOnce` is to be called soon. */
  onWanted: () => void = () => {};

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Writes a request of `attempt` for a listener, and calls one function of `on`, once, unless it is dropped before. */
  pass(attempt: CarriedAttempt, request: ExchangeRequest, on: Waiting["on"]): { drop(): void } {
    const { clock, keyRing } = this.#deps;
    if (!attempt.claim) throw new Error("a request without a claim cannot be sent");
    const { row, startedAtMs } = attempt.claim;
    const { targetUrl, delivery: options } = row;
    const nowMs = clock.monotonic();
    const leftMs = Math.min(
      startedAtMs + attemptMaxMs(options?.timeoutMs) - nowMs,
      options?.timeoutMs ?? ATTEMPT_DEADLINE_MS,
    );
    const url = new URL(targetUrl);
    const of = { id: newId(clock.now()), scheduleId: row.id, targetUrl };
    const { id } = of;
    const waiting = { of, on, isWritten: false, lost: LEFT };
    this.#waiting.set(id, waiting);
    void this.#write(waiting, {
      id,
      accountId: row.accountId,
      scheduleId: row.id,
      attempt: row.attempt,
      isReserved: url.origin === LISTEN_ORIGIN,
      path: url.pathname,
      request: sealExchangeRequest(keyRing, request, of),
      deadlineMs: clock.now() + leftMs - READ_WITHIN_MS,
    });
    return { drop: () => this.#drop(id) };
  }

  /** A listener has answered exchange `id`, which may be one of another dispatcher. */
  answered(id: string): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    waiting.isWritten = true;
    this.onWanted();
  }

  /** Reads how the exchanges stand, passes answers on, and ends those whose listener left. */
  async runOnce(): Promise<void> {
    const dropped = [...this.#dropped];
    if (dropped.length > 0) {
      await this.#run((sql) => endExchanges(sql, dropped));
      for (const id of dropped) this.#dropped.delete(id);
    }
    const ids = [...this.#waiting].filter(([, { isWritten }]) => isWritten).map(([id]) => id);
    if (ids.length === 0) return;
    const standings = new Map((await this.#run((sql) => readExchanges(sql, ids))).map((one) => [one.id, one]));
    const settled = Map.groupBy(ids, (id) => this.#settle(id, standings.get(id)));
    await this.#endLeft(settled.get("left") ?? []);
    const answered = settled.get("answered") ?? [];
    if (answered.length > 0) await this.#run((sql) => eraseAnswers(sql, answered));
  }

  /** How many requests wait for an answer. */
  count(): number {
    return this.#waiting.size;
  }

  async #write(waiting: Waiting, exchange: NewExchange): Promise<void> {
    try {
      if (!(await this.#run((sql) => insertExchange(sql, exchange))))
        this.#fail(exchange.id, "no listener is connected");
    } catch (error) {
      this.#deps.onError(error);
      // It may have been written all the same. Reading tells.
      waiting.lost = "the request could not be passed to a listener";
    }
    waiting.isWritten = true;
  }

  /** Acts on how an exchange stands. Returns what is to be done with its row. */
  #settle(id: string, standing: ExchangeStanding | undefined): "answered" | "left" | "waits" | "over" {
    const waiting = this.#waiting.get(id);
    if (!waiting) return "over";
    if (standing?.answer) {
      this.#answer(id, waiting, standing.answer);
      return "answered";
    }
    if (standing?.state === "waiting" || standing?.state === "handed") return standing.hasListener ? "waits" : "left";
    this.#fail(id, waiting.lost);
    return "over";
  }

  #answer(id: string, { of, on }: Waiting, sealed: Buffer): void {
    let answer: ExchangeAnswer;
    try {
      answer = openExchangeAnswer(this.#deps.keyRing, sealed, of);
    } catch {
      this.#fail(id, "the listener's answer cannot be decrypted");
      return;
    }
    this.#waiting.delete(id);
    on.answered(answer);
  }

  /** Fails those that still have no answer. The others are read again. */
  async #endLeft(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const ended = await this.#run((sql) => endExchanges(sql, ids));
    for (const id of ended) this.#fail(id, LEFT);
    if (ended.length < ids.length) this.onWanted();
  }

  #fail(id: string, reason: string): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.on.failed(new ListenerFailed(reason));
  }

  #drop(id: string): void {
    if (!this.#waiting.delete(id)) return;
    this.#dropped.add(id);
    this.onWanted();
  }

  #run<T>(work: (sql: Parameters<typeof readExchanges>[0]) => Promise<T>): Promise<T> {
    return this.#deps.database.run(DEADLINE_MS, ({ sql }) => work(sql));
  }
}

const LEFT = "the listener left before it answered";
