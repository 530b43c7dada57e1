import { listen } from "#db/listen.ts";
import { readListenChannel } from "#db/queries/listen/channel.ts";
import { findWaitingAccounts } from "#db/queries/listen/find-waiting.ts";
import { perServices, type Services } from "../services.ts";

/** How often the database is asked for deliveries that wait: a notification can be lost, and a pooler passes none on, ms. */
const POLL_MS = 250;
const QUERY_MS_MAX = 4_000;

/**
 * Wakes the streams of an account when a delivery waits for a listener of it. All streams of the process share one session
 * that listens for notifications, past a pooler, and one poll. There is neither while no stream is open.
 */
class WakeUps {
  readonly #services: Services;
  readonly #byAccount = new Map<string, Set<() => void>>();
  #listening: { close(): Promise<void> } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isPolling = false;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Calls `wake` when deliveries of the account may wait, and at once. Returns a function that stops it. */
  add(accountId: string, wake: () => void): () => void {
    const wakes = this.#byAccount.get(accountId) ?? new Set();
    this.#byAccount.set(accountId, wakes.add(wake));
    this.#start();
    wake();
    return () => {
      wakes.delete(wake);
      if (wakes.size === 0 && this.#byAccount.get(accountId) === wakes) this.#byAccount.delete(accountId);
      if (this.#byAccount.size === 0) this.#stop();
    };
  }

  #start(): void {
    if (this.#listening !== undefined) return;
    this.#listening = listen({
      url: this.#services.config.databaseDirectUrl,
      name: "stopwatch web listen",
      channel: readListenChannel,
      onNotice: (accountId) => this.#wake([accountId]),
      onListening: () => this.#wake(this.#byAccount.keys()),
    });
    this.#timer = setInterval(() => void this.#poll(), POLL_MS).unref();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#listening?.close().catch(() => {});
    this.#listening = undefined;
  }

  #wake(accountIds: Iterable<string>): void {
    for (const accountId of [...accountIds]) {
      for (const wake of [...(this.#byAccount.get(accountId) ?? [])]) wake();
    }
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      const accountIds = [...this.#byAccount.keys()];
      this.#wake(await this.#services.database.run(QUERY_MS_MAX, ({ db }) => findWaitingAccounts(db, accountIds)));
    } catch {
      // The next poll asks again. Streams whose leases cannot be renewed end by themselves.
    } finally {
      this.#isPolling = false;
    }
  }
}

export const wakeUps = perServices((services) => new WakeUps(services));
