import { DatabaseUnavailable } from "#db/client.ts";
import type { Db } from "#db/orm.ts";
import { closeListener } from "#db/queries/listen/close-listener.ts";
import { findEndedExchanges } from "#db/queries/listen/find-ended.ts";
import { HANDED_AT_ONCE_MAX, type HandedExchange, handExchanges } from "#db/queries/listen/hand-exchanges.ts";
import { mayListen } from "#db/queries/listen/may-listen.ts";
import type { Listener } from "#db/queries/listen/open-listener.ts";
import { renewListener } from "#db/queries/listen/renew-listener.ts";
import { DecryptionError, type KeyRing } from "#domain/cipher.ts";
import { encodeId } from "#domain/ids.ts";
import { formatInstant } from "#domain/instant.ts";
import { openExchangeRequest } from "#domain/listen-exchange.ts";
import { LISTENER_LEASE_MS, type ListenerScope } from "#domain/listeners.ts";
import { ALIVE_COMMENT, encodeEvent } from "#domain/server-sent-events.ts";
import type { Logger } from "../log.ts";
import { EventChannel } from "./event-channel.ts";
import { haveStreamsRoom } from "./open-streams.ts";

/** Why a stream ends, and after how long its client should connect again, ms. */
const RETRY_MS = { restart: 1_000, age: 0, revoked: 15_000, replaced: 15_000 };

export type GoodbyeReason = keyof typeof RETRY_MS;

/** A client that is told to connect again learns from the answer why it may not, or gets a new listener. */
const GOODBYES = { revoked: "revoked", replaced: "replaced", closed: "restart", gone: "restart" } as const;

export type StreamTimes = {
  /** How long a stream lives. Platforms end an answer after 300 s. */
  ageMs: number;
  /** How often key, account and lease are checked. */
  checkMs: number;
  /** How often a comment shows that the connection is alive. */
  commentMs: number;
  /** How often it is asked whether somebody still waits for the answers that are missing. */
  lookMs: number;
};

const STREAM_TIMES: StreamTimes = { ageMs: 270_000, checkMs: 5_000, commentMs: 10_000, lookMs: 500 };

/** After a cut the client has this long to come back: until then its deliveries wait for it, ms. */
const CUT_GRACE_MS = 5_000;

type Deps = {
  listener: Listener;
  keyId: string;
  scope: ListenerScope;
  /** Runs a short work on the database. Throws DatabaseUnavailable. */
  run: <T>(work: (db: Db) => Promise<T>) => Promise<T>;
  keyRing: KeyRing;
  log: Pick<Logger, "error">;
  /** Calls back when deliveries of the account may wait, until the function that it returns is called. */
  onWaiting: (accountId: string, wake: () => void) => () => void;
  /** Aborted when the reader goes away, also before it has read anything. */
  signal: AbortSignal;
  onEnd: () => void;
  times?: StreamTimes;
};

/**
 * One stream of a listener, from `ready` to `goodbye`. It takes deliveries from the database while its reader keeps up, and
 * holds one hand-over at most. It ends when it is old, when another stream has resumed its listener, when its key, account or
 * scope is no longer valid, and when its lease cannot be renewed.
 */
export class ListenStream {
  readonly #deps: Deps;
  readonly #channel: EventChannel;
  /** UUIDs of deliveries that were sent, until they have ended. */
  readonly #sent = new Set<string>();
  readonly #timers: NodeJS.Timeout[] = [];
  #stopWaking: () => void = () => {};
  #isOpen = true;
  #isTaking = false;
  #takesAgain = false;
  #isLooking = false;
  #isChecking = false;
  #renewedAtMs = performance.now();

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#channel = new EventChannel({ onIdle: () => this.#wake(), onGone: this.#onGone });
    const { ageMs, checkMs, commentMs, lookMs } = deps.times ?? STREAM_TIMES;
    const { id, accountId } = deps.listener;
    const ready = { listener: encodeId("lsn", id), scope: deps.scope, ends_at: formatInstant(Date.now() + ageMs) };
    this.#channel.write(encodeEvent("ready", ready));
    this.#timers.push(
      setTimeout(() => this.end("age"), ageMs),
      setInterval(() => void this.#check(), checkMs),
      setInterval(() => this.#comment(), commentMs),
      setInterval(() => void this.#look(), lookMs),
    );
    for (const timer of this.#timers) timer.unref();
    this.#stopWaking = deps.onWaiting(accountId, () => this.#wake());
    deps.signal.addEventListener("abort", this.#onGone);
    if (deps.signal.aborted) this.#onGone();
  }

  readonly #onGone = () => this.#finish(CUT_GRACE_MS);

  get readable(): ReadableStream<Uint8Array> {
    return this.#channel.readable;
  }

  get heldBytes(): number {
    return this.#channel.heldBytes;
  }

  /** Says goodbye and closes. After `restart` and `age` the lease stays, so that the client can come back. */
  end(reason: GoodbyeReason): void {
    this.#sayGoodbye(reason, undefined);
  }

  /** Where nothing may be delivered any more, the lease ends, too: dispatchers need not wait for an answer. */
  #endWith(verdict: keyof typeof GOODBYES): void {
    this.#sayGoodbye(GOODBYES[verdict], verdict === "revoked" || verdict === "closed" ? 0 : undefined);
  }

  #sayGoodbye(reason: GoodbyeReason, graceMs: number | undefined): void {
    if (!this.#isOpen) return;
    this.#channel.write(encodeEvent("goodbye", { reason, retry_ms: RETRY_MS[reason] }));
    this.#channel.close();
    this.#finish(graceMs);
  }

  /** `graceMs`: how long the lease goes on; as it is when undefined. */
  #finish(graceMs: number | undefined): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#stopWaking();
    this.#deps.signal.removeEventListener("abort", this.#onGone);
    this.#deps.onEnd();
    const { listener, run } = this.#deps;
    // The lease ends by itself when the database is away.
    if (graceMs !== undefined) run((db) => closeListener(db, listener, graceMs)).catch(() => {});
  }

  #wake(): void {
    if (this.#isTaking) this.#takesAgain = true;
    else void this.#attempt(() => this.#take());
  }

  /** Takes deliveries until none waits or the reader is behind; a reader that has caught up wakes it again. */
  async #take(): Promise<void> {
    this.#isTaking = true;
    try {
      do {
        this.#takesAgain = false;
        while (this.#isOpen && this.#channel.isIdle && haveStreamsRoom()) {
          const handed = await this.#handOver();
          for (const exchange of handed) this.#send(exchange);
          if (handed.length < HANDED_AT_ONCE_MAX) break;
        }
      } while (this.#takesAgain && this.#isOpen);
    } finally {
      this.#isTaking = false;
    }
  }

  /**
   * The next deliveries; none, and the end of the stream, when it may not have them any more. That is asked after they were
   * taken: an answer from before says nothing of a delivery that was written after its key was revoked.
   */
  async #handOver(): Promise<HandedExchange[]> {
    const { listener, keyId, scope, run } = this.#deps;
    const [handed, permission] = await run(async (db) => [
      await handExchanges(db, listener),
      await mayListen(db, listener.accountId, { keyId, scope }),
    ]);
    if (permission === "allowed") return handed;
    this.#endWith(permission);
    return [];
  }

  #send(exchange: HandedExchange): void {
    const { id, scheduleId, attempt, deadlineMs } = exchange;
    try {
      const { method, path, headers, body } = openExchangeRequest(this.#deps.keyRing, exchange.request, exchange);
      const publicId = encodeId("exc", id);
      const data = {
        id: publicId,
        schedule_id: encodeId("sch", scheduleId),
        attempt,
        deadline: formatInstant(deadlineMs),
        method,
        path,
        headers,
        body: body.toString("base64"),
      };
      this.#channel.write(encodeEvent("delivery", data, publicId));
      this.#sent.add(id);
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error;
      this.#deps.log.error({ err: error, exchange: id }, "a delivery to a listener cannot be decrypted");
    }
  }

  /** Says which of the deliveries that were sent are over without an answer. */
  async #look(): Promise<void> {
    if (this.#isLooking || this.#sent.size === 0 || !this.#channel.isIdle) return;
    this.#isLooking = true;
    const ids = [...this.#sent];
    await this.#attempt(async () => {
      const ended = await this.#deps.run((db) => findEndedExchanges(db, this.#deps.listener.accountId, ids));
      for (const { id, isOver } of ended) {
        if (this.#sent.delete(id) && isOver) this.#channel.write(encodeEvent("over", { id: encodeId("exc", id) }));
      }
    });
    this.#isLooking = false;
  }

  #comment(): void {
    // A reader that is behind gets bytes anyway. Without a lease the connection is not alive, whatever it looks like.
    if (this.#channel.isIdle && this.#leaseLeftMs() > 0) this.#channel.write(ALIVE_COMMENT);
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    await this.#attempt(async () => {
      const atMs = performance.now();
      const { listener, keyId, scope, run } = this.#deps;
      const verdict = await run(async (db) => {
        const permission = await mayListen(db, listener.accountId, { keyId, scope });
        return permission === "allowed" ? renewListener(db, listener) : permission;
      });
      if (verdict === "held") this.#renewedAtMs = atMs;
      else this.#endWith(verdict);
    });
    this.#isChecking = false;
    if (this.#leaseLeftMs() <= 0) this.end("restart");
  }

  #leaseLeftMs(): number {
    return LISTENER_LEASE_MS - (performance.now() - this.#renewedAtMs);
  }

  /** A database that is away ends nothing: the next try finds what waits, or the lease runs out. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof DatabaseUnavailable) return;
      this.#deps.log.error({ err: error }, "a stream of a listener failed");
      this.end("restart");
    }
  }
}
