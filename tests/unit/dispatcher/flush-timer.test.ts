import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FlushTimer } from "#dispatcher/recording/flush-timer.ts";

const STATEMENT_ROWS = 500;

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

/** Outcomes of which each flush writes a statement's worth, and requests that are behind while `sends.behind` is set. */
function start() {
  const sends = { behind: false, isBehind: () => sends.behind };
  const state = { waiting: 0, flushedAtMs: [] as number[] };
  const timer = new FlushTimer({
    outcomes: {
      waiting: () => state.waiting,
      isFull: () => state.waiting >= STATEMENT_ROWS,
      isFailing: () => false,
      flush() {
        state.waiting = Math.max(state.waiting - STATEMENT_ROWS, 0);
        state.flushedAtMs.push(Date.now());
      },
    },
    sends,
    monotonic: () => Date.now(),
  });
  return {
    sends,
    state,
    add(n: number) {
      state.waiting += n;
      timer.soon();
    },
  };
}

describe("while nothing else is due, outcomes", () => {
  it("are written together 40 ms after the first one, or 100 ms when they are few", () => {
    const { state, add } = start();
    for (let n = 0; n < 9; n++) {
      add(3);
      vi.advanceTimersByTime(10);
    }
    expect(state.flushedAtMs).toEqual([]);
    vi.advanceTimersByTime(10);
    expect(state.flushedAtMs).toEqual([100]);
    add(60);
    vi.advanceTimersByTime(40);
    expect(state.flushedAtMs).toEqual([100, 140]);
  });
});

describe("while requests are due and have not left, outcomes", () => {
  it("wait until the requests have left", () => {
    const { sends, state, add } = start();
    sends.behind = true;
    add(10);
    vi.advanceTimersByTime(300);
    expect(state.flushedAtMs).toEqual([]);
    sends.behind = false;
    vi.advanceTimersByTime(100);
    expect(state.waiting).toBe(0);
  });

  it("wait for at most half a second, however many statements they need", () => {
    const { sends, state, add } = start();
    sends.behind = true;
    add(4 * STATEMENT_ROWS);
    vi.advanceTimersByTime(700);
    expect(state.waiting).toBe(0);
    add(10);
    vi.advanceTimersByTime(100);
    expect(state.waiting).toBe(0);
  });

  it("wait only while they are few, because they are delivered again after a crash", () => {
    const { sends, state, add } = start();
    sends.behind = true;
    add(11 * STATEMENT_ROWS);
    vi.advanceTimersByTime(100);
    expect(state.flushedAtMs.length).toBeGreaterThan(0);
  });
});
