export type Loop = { soon: () => void; stop: () => void };

/** Runs `round` again and again, `periodMs` after the last one ended, or at once when `soon` is called. Never two at once. */
export function createLoop(periodMs: number, round: () => Promise<unknown>, onError: (error: unknown) => void): Loop {
  let timer: NodeJS.Timeout | undefined;
  let running = false;
  let wanted = false;
  let stopped = false;
  const run = async () => {
    running = true;
    wanted = false;
    try {
      await round();
    } catch (error) {
      onError(error);
    }
    running = false;
    if (!stopped) timer = setTimeout(run, wanted ? 2 : periodMs * (0.95 + Math.random() * 0.1));
  };
  timer = setTimeout(run, 0);
  return {
    soon() {
      // Once is enough: asking again must not push the round further away.
      if (wanted || stopped) return;
      wanted = true;
      if (running) return;
      clearTimeout(timer);
      timer = setTimeout(run, 1);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** Does `work`, again each second as long as the database cannot be reached. */
export async function untilAnswered(work: () => Promise<unknown>, onError: (error: unknown) => void): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      onError(error);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}

/** Waits until `condition` holds, looked at every 10 ms, `deadlineMs` at most. */
export async function until(condition: () => boolean, deadlineMs: number): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!condition() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
}
