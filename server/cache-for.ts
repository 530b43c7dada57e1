/**
 * A reader that asks `read` at most once in `keptMs`; callers meanwhile share its answer, also while it is under way.
 * A failure is not kept. `nowMs` is a clock that never steps back.
 */
export function cacheFor<T>(keptMs: number, read: () => Promise<T>, nowMs = () => performance.now()): () => Promise<T> {
  let held: { answer: Promise<T>; untilMs: number } | undefined;
  return () => {
    if (held && nowMs() < held.untilMs) return held.answer;
    const asked = { answer: read(), untilMs: nowMs() + keptMs };
    held = asked;
    asked.answer.catch(() => {
      if (held === asked) held = undefined;
    });
    return asked.answer;
  };
}
