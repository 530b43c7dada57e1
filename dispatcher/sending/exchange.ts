import type { Dispatcher } from "undici";
import type { DeliveryOutcome } from "#domain/settle-attempt.ts";
import { ATTEMPT_DEADLINE_MS, attemptMaxMs } from "#domain/timing.ts";
import type { Pool } from "../connections/pool.ts";
import type { Connection } from "../delivery/connection.ts";
import type { Deliveries } from "../delivery/deliveries.ts";
import { claimOf, type Delivery, type PreparedRequest } from "../delivery/delivery.ts";
import type { Metrics } from "../observability/metrics.ts";
import type { Time } from "../runtime/clock.ts";
import type { ConfirmedLatency, LatencyStart } from "../runtime/confirmed-latency.ts";
import { AnswerHead } from "./answer-head.ts";
import { AnswerProblem, failed, mayRetryOnAnother } from "./exchange-failure.ts";
import { requestsLeft } from "./requests-left.ts";
import type { SendLead } from "./send-lead.ts";
import type { SendQueue } from "./send-queue.ts";

/** Fixed by docs/limits.md. */
const BODY_READ_MAX = 64 * 1024;
/** Fixed by docs/limits.md: enough for the 1,024 stored characters, and to detect parts of the request that they repeat. */
const BODY_KEPT_MAX = 8 * 1024;
/** Bounds memory: as much as is kept of a content type. */
const CONTENT_TYPE_MAX = 256;

export type ExchangeDeps = {
  deliveries: Deliveries;
  pool: Pick<Pool, "answered" | "rest" | "release">;
  sendQueue: SendQueue;
  lead: SendLead;
  clock: Time;
  confirmedLatency: ConfirmedLatency;
  metrics: Pick<Metrics, "sent">;
};

/**
 * Guards answers that wait since this process was stopped: deadlines are checked ten times a second, and by then the turns of all
 * connections have come.
 */
const LATE_ROUNDS_MAX = 30;

/**
 * One request on one connection, as undici's handler. undici calls `onRequestStart` on a connected socket just before
 * it writes the header block, in the same event-loop turn. The last checks are made there, and that moment is
 * `attempted_at`. Before it, no byte has left.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #deps: ExchangeDeps;
  readonly #onOver: (exchange: Exchange) => void;
  readonly #delivery: Delivery;
  readonly #connection: Connection;
  readonly #request: PreparedRequest;
  readonly #timeoutMs: number;
  #deadlineMs: number;
  #controller: Dispatcher.DispatchController | undefined;
  #isRefused = false;
  /** How often its deadline was found long past. */
  #lateRounds = 0;
  /** Whether the outcome is known. */
  #isEnded = false;
  /** Whether nothing more comes over the connection. */
  #isOver = false;
  readonly #connectMs: number | null;
  #attemptedAtMs: number | null = null;
  /** When the first byte left. */
  #sent: LatencyStart = { atMs: 0, idleMs: 0 };
  #firstByteMs: number | null = null;
  #statusCode = 0;
  #isReusable = true;
  #contentType = "";
  readonly #head = new AnswerHead();
  /** The part of the body that is kept; allocated when the first chunk arrives. */
  #body: Buffer | undefined;
  #bodyKept = 0;
  #bodyRead = 0;

  /** `delivery` has its connection and its request. `onOver` is called when nothing more comes over the connection. */
  constructor(deps: ExchangeDeps, delivery: Delivery, onOver: (exchange: Exchange) => void) {
    if (!delivery.connection || !delivery.request) throw new Error("a request without connection cannot be sent");
    this.#deps = deps;
    this.#onOver = onOver;
    this.#delivery = delivery;
    this.#connection = delivery.connection;
    this.#request = delivery.request;
    this.#connectMs = this.#connection.used || delivery.via ? null : this.#connection.connectMs;
    const { row, startedAtMs } = claimOf(delivery);
    this.#timeoutMs = row.delivery?.timeoutMs ?? ATTEMPT_DEADLINE_MS;
    this.#deadlineMs = startedAtMs + attemptMaxMs(row.delivery?.timeoutMs);
  }

  /** When the attempt runs out of time, monotonic ms. A timeout of the schedule's own counts from the first byte. */
  get deadlineMs(): number {
    return this.#deadlineMs;
  }

  /** Gives the request to undici, which writes it in this event-loop turn or when the socket has drained. */
  begin(): void {
    const { method, path, headers, body } = this.#request;
    this.#connection.used = true;
    this.#connection.requestsLeft--;
    this.#connection.onBytes = (chunk) => this.#follow(chunk);
    const options = { path, method, headers, body, idempotent: false, blocking: true };
    this.#connection.client.dispatch(options, this, this.#delivery);
  }

  abort(error: Error): void {
    this.#controller?.abort(error);
  }

  /**
   * Whether what has come before the deadline may still have to be read, though that is long past: once, for what waits in the
   * socket, and for some rounds more while the connection waits for its turn to be read.
   */
  mayReadOn(): boolean {
    this.#lateRounds++;
    return this.#lateRounds === 1 || (this.#lateRounds <= LATE_ROUNDS_MAX && this.#connection.hasUnread);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { sendQueue, lead, deliveries, clock, confirmedLatency, metrics } = this.#deps;
    const { sendAtMs, leaveAtMs } = this.#delivery;
    this.#controller = controller;
    if (sendQueue.isFirst(this.#delivery)) lead.adapt(leaveAtMs);
    if (!lead.hold(this.#delivery) || !sendQueue.mayLeave(this.#delivery)) {
      this.#isRefused = true;
      controller.abort(new Error("not allowed to leave now"));
      return;
    }
    this.#sent = confirmedLatency.start();
    this.#attemptedAtMs = clock.now();
    this.#deadlineMs = Math.min(this.#deadlineMs, this.#sent.atMs + this.#timeoutMs);
    this.#delivery.request = null;
    this.#request.body = null;
    if (!claimOf(this.#delivery).row.isDueWhenAsked) metrics.sent(this.#attemptedAtMs - sendAtMs);
    deliveries.move(this.#delivery, "sent");
  }

  onResponseStart(_controller: Dispatcher.DispatchController, code: number, headers: Headers): void {
    this.#contentType = String(headers["content-type"] ?? "").slice(0, CONTENT_TYPE_MAX);
    const left = Math.min(this.#connection.requestsLeft, requestsLeft(headers["keep-alive"]));
    this.#connection.requestsLeft = left;
    this.#isReusable = left > 0 && !/\bclose\b/i.test(String(headers.connection ?? ""));
    if (this.#statusCode === 0) this.#onStatus(code);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bodyRead += chunk.length;
    if (this.#bodyKept < BODY_KEPT_MAX && !this.#isEnded) {
      // Copy the chunk: a slice would keep the whole read buffer alive, and a body may arrive byte by byte.
      this.#body ??= Buffer.allocUnsafe(BODY_KEPT_MAX);
      this.#bodyKept += chunk.copy(this.#body, this.#bodyKept);
      if (this.#bodyKept >= BODY_KEPT_MAX) this.#end(this.#answer());
    }
    if (this.#bodyRead > BODY_READ_MAX) controller.abort(new Error("the response's body is longer than is read"));
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#end(this.#answer());
    if (this.#isReusable) this.#deps.pool.rest(this.#connection, (mayReuse) => this.#leave(mayReuse));
    else this.#leave(false);
  }

  onResponseError(_controller: Dispatcher.DispatchController, reported: Error): void {
    if (this.#isOver) return;
    const error = this.#connection.error ?? reported;
    if (this.#attemptedAtMs === null) {
      this.#notSent(error);
      return;
    }
    this.#isOver = true;
    this.#end(this.#statusCode > 0 ? this.#answer() : failed(error, this.#timeoutMs));
    this.#leave(false);
  }

  /** Fails before the first byte. If the connection was closed and the request may still leave, uses another one. */
  #notSent(error: Error): void {
    const { deliveries, pool } = this.#deps;
    this.#isOver = true;
    this.#onOver(this);
    this.#connection.destroy();
    pool.release(this.#connection, false);
    this.#delivery.connection = null;
    if (!this.#isRefused && !mayRetryOnAnother(error)) {
      deliveries.end(this.#delivery, failed(error, this.#timeoutMs));
      return;
    }
    this.#delivery.needsNewConnection = true;
    const mayRetry = !this.#isRefused && this.#deps.sendQueue.mayLeave(this.#delivery);
    deliveries.move(this.#delivery, mayRetry ? "ready" : "releasing");
  }

  /** Ends the attempt. Only the first outcome counts. */
  #end(outcome: DeliveryOutcome): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const body = this.#body?.toString("latin1", 0, this.#bodyKept) ?? "";
    this.#body = undefined;
    this.#deps.deliveries.end(this.#delivery, outcome, {
      attemptedAtMs: this.#attemptedAtMs,
      connectMs: this.#connectMs,
      firstByteMs: this.#firstByteMs,
      body,
      contentType: this.#contentType,
    });
  }

  #leave(isReusable: boolean): void {
    this.#onOver(this);
    this.#deps.pool.release(this.#connection, isReusable);
    this.#delivery.connection = null;
    const isRecorded = this.#delivery.state === "draining";
    this.#deps.deliveries.move(this.#delivery, isRecorded ? "recorded" : "recording");
  }

  #answer(): DeliveryOutcome {
    const statusCode = this.#statusCode;
    return statusCode >= 200 && statusCode < 300
      ? { kind: "delivered", statusCode }
      : { kind: "rejected", statusCode, retryAfter: this.#head.retryAfter };
  }

  /** The final status is known, whatever becomes of the rest of the answer. */
  #onStatus(code: number): void {
    const { pool, confirmedLatency } = this.#deps;
    this.#statusCode = code;
    const reading = this.#connection.reading ?? confirmedLatency.read();
    pool.answered(this.#connection, reading.atMs - this.#sent.atMs, confirmedLatency.until(this.#sent, reading));
    if (code < 300) this.#end(this.#answer());
  }

  /** Follows the answer as it is read. Bytes before the request are none of it; they end the connection. */
  #follow(chunk: Buffer): Buffer {
    if (this.#attemptedAtMs === null) return chunk;
    this.#firstByteMs ??= (this.#connection.reading?.atMs ?? this.#deps.clock.monotonic()) - this.#sent.atMs;
    const passed = this.#head.take(chunk);
    if (this.#statusCode === 0 && this.#head.statusCode > 0) this.#onStatus(this.#head.statusCode);
    if (this.#head.problem && !this.#isOver) this.abort(new AnswerProblem(this.#head.problem));
    return passed;
  }
}

type Headers = Record<string, string | string[] | undefined>;
