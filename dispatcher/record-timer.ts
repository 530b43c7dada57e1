import type { Recorder } from "./record.ts";

const RECORD_AFTER_MS = 40;
const FAILING_MS = 500;
const GIVES_WAY_MS = 500;

/**
 * When outcomes are written: a little after the first of them, so that many go in one statement, at once when a statement
 * is full, and only now and then while the database is away. Sends that are due go first, for half a second at most.
 */
export function createRecordTimer(deps: {
  recorder: Recorder;
  /** Whether requests are due that have not left. */
  isBehind: () => boolean;
  monotonic: () => number;
}) {
  const { recorder, isBehind, monotonic } = deps;
  let timer: NodeJS.Timeout | undefined;
  let waitingSinceMs = Number.POSITIVE_INFINITY;

  const givesWay = () => isBehind() && monotonic() - waitingSinceMs < GIVES_WAY_MS;

  const record = () => {
    waitingSinceMs = Number.POSITIVE_INFINITY;
    recorder.start();
    soon();
  };

  const soon = () => {
    if (recorder.waiting() === 0) return;
    waitingSinceMs = Math.min(waitingSinceMs, monotonic());
    if (recorder.isFull() && !givesWay()) return record();
    timer ??= setTimeout(
      () => {
        timer = undefined;
        if (givesWay()) soon();
        else record();
      },
      recorder.isFailing() ? FAILING_MS : RECORD_AFTER_MS,
    );
  };

  return {
    /** There are outcomes to be written, or room for another statement. */
    soon,
    stop: () => clearTimeout(timer),
  };
}
