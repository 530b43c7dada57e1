import { type Stopwatch, StopwatchError } from "../../../sdk/src/index.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../errors/exit-codes.ts";
import { Failure } from "../errors/failure.ts";
import { environment } from "../settings/environment.ts";
import type { Settings } from "../settings/find-settings.ts";
import { readVersion } from "../version.ts";
import type { Answer } from "./answer-memory.ts";
import type { Delivery } from "./delivery.ts";
import { deliveryLine, deliveryRecord } from "./delivery-line.ts";
import { Exchanges, type Forwarded } from "./exchanges.ts";
import { forward } from "./forward.ts";
import { handleKey } from "./handle-key.ts";
import { keepListening, type Ready } from "./keep-listening.ts";
import type { ListenPlan } from "./listen-options.ts";
import { findMissed } from "./missed.ts";
import { probe } from "./probe.ts";
import { readyText } from "./ready-text.ts";
import { runCommand } from "./run-command.ts";
import { readKeys } from "./terminal-keys.ts";

/** The service writes each 10 s. */
const SILENCE_MS = 25_000;
/** After Ctrl-C, answers that are under way get this long, ms. The process ends after 2 s (`main.ts`). */
const DRAIN_MS = 1_500;

/** One run of `stopwatch listen`. */
export class ListenSession {
  readonly #context: Context;
  readonly #plan: ListenPlan;
  readonly #settings: Settings;
  readonly #client: Stopwatch;
  readonly #exchanges: Exchanges;
  /** Ends the session. */
  readonly #stop = new AbortController();
  #error: unknown;
  #exitCode: number = EXIT.done;
  /** By how much the service's clock is ahead, ms. */
  #aheadMs = 0;
  #last: Delivery | undefined;
  #wasReady = false;
  #lostAtMs: number | undefined;
  #saidMissed: string | undefined;

  /** Whether keys are read: `r`, `o` and `q`. */
  get #hasKeys(): boolean {
    return !this.#context.out.isJson && process.stdout.isTTY && process.stdin.isTTY;
  }

  /** Throws a Failure with a live key, or without one. */
  constructor(context: Context, plan: ListenPlan) {
    this.#context = context;
    this.#plan = plan;
    this.#settings = context.settings();
    if (this.#settings.env === "live") {
      throw new Failure(`listen takes test deliveries, and this is a live key (${this.#settings.source}).`, {
        exitCode: EXIT.unauthorised,
        fix: "use a test key: sw_test_…",
      });
    }
    this.#client = context.client();
    this.#exchanges = new Exchanges({
      client: this.#client,
      deliver: (delivery, signal) => this.#deliver(delivery, signal),
      onForwarded: (forwarded) => this.#show(forwarded),
      onError: (error) => this.#fail(error),
    });
  }

  /** Listens until Ctrl-C, `q`, or after one delivery with `--once`. Returns the exit code; throws when the key is refused. */
  async run(): Promise<number> {
    const { signal, say } = this.#context;
    const stop = () => this.#stop.abort();
    signal.addEventListener("abort", stop, { once: true });
    const giveBack = this.#hasKeys ? readKeys(process.stdin, (key) => this.#onKey(key)) : () => {};
    try {
      await keepListening(
        {
          url: this.#settings.url,
          key: this.#settings.key,
          userAgent: `stopwatch-cli/${readVersion()}`,
          scope: this.#plan.scope,
          paths: this.#plan.paths,
          silenceMs: SILENCE_MS,
        },
        {
          onReady: (ready, isResumed) => this.#onReady(ready, isResumed),
          onLost: (why, waitMs) => {
            this.#lostAtMs ??= performance.now();
            say(`Not listening: ${why}. Next try in ${(waitMs / 1_000).toFixed(1)} s.`);
          },
          onDelivery: (delivery, listener, nowMs) => this.#onDelivery(delivery, listener, nowMs),
          onOver: (id) => this.#exchanges.giveUp(id),
        },
        this.#stop.signal,
      );
    } finally {
      giveBack();
      const left = await this.#exchanges.drain(DRAIN_MS);
      if (left > 0) say(`${left} not answered any more: ${left === 1 ? "it is" : "they are"} attempted again later.`);
    }
    if (this.#error) throw this.#error;
    return signal.aborted ? EXIT.interrupted : this.#exitCode;
  }

  #onReady(ready: Ready, isResumed: boolean): void {
    const { out, say } = this.#context;
    const { url } = this.#settings;
    const isFirst = !this.#wasReady;
    if (isFirst && out.isJson) out.record({ type: "ready", scope: ready.scope, paths: this.#plan.paths, url }, []);
    if (!isFirst && this.#lostAtMs !== undefined) {
      const seconds = ((performance.now() - this.#lostAtMs) / 1_000).toFixed(1);
      say(`Ready again after ${seconds} s${isResumed ? "" : ", as a new listener"}.`);
    }
    this.#wasReady = true;
    this.#lostAtMs = undefined;
    this.#report(this.#sayMore(isFirst ? ready : undefined));
  }

  /** Says what a person wants to know beside: the first time all about the listener, and each time what was missed. */
  async #sayMore(ready: Ready | undefined): Promise<void> {
    const { say } = this.#context;
    const { signal } = this.#stop;
    const { destination } = this.#plan;
    if (ready) {
      const secrets = await this.#ask(this.#client.signingSecrets.get({ signal }));
      const facts = { url: this.#settings.url, scope: ready.scope, secret: secrets?.current };
      say(readyText(this.#plan, { ...facts, hasKeys: this.#hasKeys }));
      const problem = "to" in destination && (await probe(destination.to));
      if (problem) say(problem);
    }
    const nowMs = Date.now() + this.#aheadMs;
    const missed = await this.#ask(findMissed(this.#client.schedules, this.#plan, nowMs, signal));
    if (missed !== undefined && missed !== this.#saidMissed) say(missed);
    this.#saidMissed = missed;
  }

  /** The result of a call that listening does not depend on; undefined when it failed. Throws when the key is refused. */
  async #ask<T>(call: Promise<T>): Promise<T | undefined> {
    try {
      return await call;
    } catch (error) {
      if (!StopwatchError.is(error) || error.status === 401) throw error;
      return undefined;
    }
  }

  #onDelivery(delivery: Delivery, listener: string, nowMs: number): void {
    if (this.#stop.signal.aborted || (this.#plan.once && this.#last)) return;
    this.#aheadMs = nowMs - Date.now();
    if (this.#exchanges.take(delivery, listener, nowMs)) this.#last = delivery;
  }

  #deliver(delivery: Delivery, signal: AbortSignal): Promise<Answer> {
    const { destination, keepHost, insecure } = this.#plan;
    if ("to" in destination) return forward(delivery, { to: destination.to, keepHost, insecure }, signal);
    const onStderr = (chunk: Buffer) => void process.stderr.write(chunk);
    return runCommand(destination.exec, delivery, signal, { env: environment(), onStderr });
  }

  #show(forwarded: Forwarded): void {
    const { out } = this.#context;
    if (out.isJson) out.record(deliveryRecord(forwarded, this.#aheadMs), []);
    else {
      const { destination } = this.#plan;
      out.raw(`${deliveryLine(forwarded, { destination, aheadMs: this.#aheadMs, stream: process.stdout })}\n`);
    }
    if (!this.#plan.once) return;
    const { answer, sent } = forwarded;
    const isDone = sent === "recorded" && "status" in answer && answer.status >= 200 && answer.status < 300;
    this.#exitCode = isDone ? EXIT.done : EXIT.partly;
    this.#stop.abort();
  }

  #onKey(key: string): void {
    const { say } = this.#context;
    this.#report(handleKey(key, { last: this.#last, client: this.#client, say, quit: () => this.#stop.abort() }));
  }

  #report(work: Promise<unknown>): void {
    work.catch((error) => this.#fail(error));
  }

  /** Ends the session with an error, unless it is ending anyway. */
  #fail(error: unknown): void {
    if (this.#stop.signal.aborted) return;
    this.#error = error;
    this.#stop.abort();
  }
}
