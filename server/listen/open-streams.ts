/** A stream as the process sees it. */
export type OpenStream = {
  /** Says goodbye and closes. */
  end(): void;
  /** What it holds for a reader that is slower than the deliveries, bytes. */
  readonly heldBytes: number;
};

/** The most streams of one process. */
export const STREAMS_MAX = 500;

/**
 * Streams are handed no more deliveries while all of them together hold this much, bytes. One hand-over has eight deliveries
 * at most, which is 3 MiB.
 */
const HELD_BYTES_MAX = 64 * 1024 * 1024;

/** The open streams of this process. */
export function openStreams(): Set<OpenStream> {
  return store().open;
}

/** Whether a server of this process stops: it opens no more streams, and `/healthz` says so. */
export function isStopping(): boolean {
  return store().stopping > 0;
}

/** Whether the streams together have room for further deliveries. */
export function haveStreamsRoom(): boolean {
  let held = 0;
  for (const { heldBytes } of openStreams()) held += heldBytes;
  return held < HELD_BYTES_MAX;
}

/** Ends all streams, because a server stops: their clients connect to another process. Returns a function to call when it has stopped. */
export function stopStreams(): () => void {
  store().stopping++;
  for (const stream of [...openStreams()]) stream.end();
  return () => {
    store().stopping--;
  };
}

type Store = { open: Set<OpenStream>; stopping: number };

// On globalThis, since Next.js loads this module twice: in the routes' bundle and in that of instrumentation.ts.
function store(): Store {
  const shared = globalThis as { [STREAMS]?: Store };
  shared[STREAMS] ??= { open: new Set(), stopping: 0 };
  return shared[STREAMS];
}

const STREAMS = Symbol.for("stopwatch.listen-streams");
