import { listen } from "#db/listen.ts";

/** Beats are heard every two seconds: a listener that hears none for this long is replaced. */
const SILENCE_MAX_MS = 7_000;

/**
 * Hears what is announced: schedules that fall due soon, and shards that changed hands. A connection that is half open
 * hears nothing and says nothing, so a listener that hears no beats is replaced. Polling is authoritative, this is not.
 */
export function createHearing(deps: {
  url: string;
  monotonic: () => number;
  /** Whether beats are to be expected: this dispatcher sends them when it owns anything. */
  isBeating: () => boolean;
  /** Something may have been missed until now. */
  onListening: () => void;
  onShards: () => void;
  /** `id` null: many of the shard. */
  onDue: (shard: number, id: string | null) => void;
}) {
  let heardAtMs = deps.monotonic();
  const start = () =>
    listen({
      url: deps.url,
      name: "stopwatch-listen",
      channel: "stopwatch_due",
      onListening: deps.onListening,
      onNotice: (payload) => {
        heardAtMs = deps.monotonic();
        if (payload === "beat") return;
        if (payload === "shards") return deps.onShards();
        const [shard, id = null] = payload.split(":");
        deps.onDue(Number(shard), id);
      },
    });
  let listener = start();

  return {
    /** Replaces a listener that has gone silent. */
    async runOnce(): Promise<void> {
      if (deps.monotonic() - heardAtMs < SILENCE_MAX_MS || !deps.isBeating()) return;
      heardAtMs = deps.monotonic();
      await listener.close();
      listener = start();
    },
    close: () => listener.close(),
  };
}
