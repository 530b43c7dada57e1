import { listen } from "#db/listen.ts";
import { readDueChannel } from "#db/queries/fleet/due-channel.ts";
import type { DueLane } from "#db/queries/schedules/due-lanes.ts";
import { isEnvironment } from "#domain/environment.ts";
import type { Time } from "../runtime/clock.ts";

/** A listener that gets no heartbeat for this long is replaced, ms. Fixed by the heartbeats, which are sent every two seconds. */
const SILENCE_MAX_MS = 7_000;

const ANSWERED = "answered:";

/** Acts on notifications. */
export interface NotificationTargets {
  /** Notifications may have been missed until now. */
  missed(): void;
  shardsChanged(): void;
  /** A listener has answered the exchange `id`. */
  exchangeAnswered(id: string): void;
  /** `count` schedules of a lane fall due soon, the earliest of them `id` at `due.dueAtMs`. */
  dueInLane(due: DueLane, id: string, count: number): void;
}

type Deps = {
  url: string;
  clock: Pick<Time, "monotonic">;
  /** Heartbeats are expected while this dispatcher owns shards. */
  shards: { leased(): number[] };
  targets: NotificationTargets;
};

/**
 * Listens for notifications: schedules that fall due soon, answers of listeners, and shards that changed hands. A half-open connection gets
 * nothing and reports no error, so a listener that gets no heartbeats is replaced. Nothing depends on notifications:
 * polling finds everything, later.
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
    if (clock.monotonic() - this.#heardAtMs < SILENCE_MAX_MS || shards.leased().length === 0) return;
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
      channel: readDueChannel,
      onListening: () => targets.missed(),
      onNotice: (payload) => this.#receive(payload),
    });
  }

  #receive(payload: string): void {
    const { clock, targets } = this.#deps;
    this.#heardAtMs = clock.monotonic();
    if (payload === "beat") return;
    if (payload === "shards") {
      targets.shardsChanged();
      return;
    }
    if (payload.startsWith(ANSWERED)) {
      targets.exchangeAnswered(payload.slice(ANSWERED.length));
      return;
    }
    const [shard, id, accountId, env, dueAtMs, count] = payload.split(":");
    if (id === undefined || accountId === undefined || !isEnvironment(env)) return;
    targets.dueInLane({ shard: Number(shard), accountId, env, dueAtMs: Number(dueAtMs) }, id, Number(count));
  }
}
