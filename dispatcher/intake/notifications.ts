import { listen } from "#db/listen.ts";
import type { Time } from "../runtime/clock.ts";

/** Heartbeats are announced every two seconds: a listener that gets none for this long is replaced. */
const SILENCE_MAX_MS = 7_000;
const CHANNEL = "stopwatch_due";

/** What notifications are for. */
export interface NotificationTargets {
  /** Notifications may have been missed until now. */
  missed(): void;
  shardsChanged(): void;
  /** A schedule falls due soon. */
  due(shard: number, id: string): void;
  /** Many schedules of a shard fall due soon. */
  manyDue(shard: number): void;
}

type Deps = {
  url: string;
  clock: Pick<Time, "monotonic">;
  /** Heartbeats are to be expected while this dispatcher owns anything. */
  shards: { owned(): number[] };
  targets: NotificationTargets;
};

/**
 * Listens to what is announced: schedules that fall due soon, and shards that changed hands. A connection that is half
 * open gets nothing and reports nothing, so a listener that gets no heartbeats is replaced. Polling is authoritative.
 */
export class Notifications {
  readonly #deps: Deps;
  #heardAtMs: number;
  #listener: ReturnType<typeof listen>;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#heardAtMs = deps.clock.monotonic();
    this.#listener = this.#listen();
  }

  /** Replaces a listener that has gone silent. */
  async runOnce(): Promise<void> {
    const { clock, shards } = this.#deps;
    if (clock.monotonic() - this.#heardAtMs < SILENCE_MAX_MS || shards.owned().length === 0) return;
    this.#heardAtMs = clock.monotonic();
    await this.#listener.close();
    this.#listener = this.#listen();
  }

  close(): Promise<void> {
    return this.#listener.close();
  }

  #listen() {
    const { url, targets } = this.#deps;
    return listen({
      url,
      name: "stopwatch-listen",
      channel: CHANNEL,
      onListening: () => targets.missed(),
      onNotice: (payload) => this.#receive(payload),
    });
  }

  #receive(payload: string): void {
    const { clock, targets } = this.#deps;
    this.#heardAtMs = clock.monotonic();
    const [shard, id] = payload.split(":");
    if (payload === "beat") return;
    if (payload === "shards") targets.shardsChanged();
    else if (id === undefined) targets.manyDue(Number(shard));
    else targets.due(Number(shard), id);
  }
}
