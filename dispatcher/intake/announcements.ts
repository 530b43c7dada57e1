import type { Loop } from "../runtime/loop.ts";
import type { NotificationTargets } from "./notifications.ts";
import type { Prefetch } from "./prefetch.ts";
import type { WantedReads } from "./wanted-reads.ts";

type Deps = {
  shards: { holds(shard: number): boolean };
  prefetch: Prefetch;
  wantedReads: WantedReads;
  /** The loops of prefetch, and of the shards. */
  reading: Pick<Loop, "soon">;
  sharing: Pick<Loop, "soon">;
};

/** What follows from a notification: what it names is read, or the shards are shared anew. */
export class Announcements implements NotificationTargets {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  missed(): void {
    this.#deps.prefetch.restart();
    this.#deps.reading.soon();
  }

  shardsChanged(): void {
    this.#deps.sharing.soon();
  }

  due(shard: number, id: string): void {
    if (this.#deps.shards.holds(shard)) this.#deps.wantedReads.addSchedules([id]);
  }

  manyDue(shard: number): void {
    if (!this.#deps.shards.holds(shard)) return;
    this.#deps.prefetch.restartShard(shard);
    this.#deps.reading.soon();
  }
}
