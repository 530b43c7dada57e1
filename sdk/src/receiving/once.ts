type Awaitable<T> = T | PromiseLike<T>;

/** Where the ids of deliveries are kept, so that `onDelivery` runs once for each schedule. */
export type Once = {
  /** Takes an id. Returns `new` to the first caller, `busy` while that one works, `done` once it has finished. */
  begin(id: string): Awaitable<"new" | "busy" | "done">;
  /** `onDelivery` has returned. */
  finish(id: string): Awaitable<unknown>;
  /** `onDelivery` has thrown: the id is new again. */
  fail(id: string): Awaitable<unknown>;
};

/** Keeps ids in the memory of one process: the 10,000 that were done last, and those being worked on. */
export function memoryOnce(): Once {
  const busy = new Set<string>();
  const done = new Set<string>();
  return {
    begin(id) {
      if (done.has(id)) return "done";
      if (busy.has(id)) return "busy";
      busy.add(id);
      return "new";
    },
    finish(id) {
      busy.delete(id);
      done.add(id);
      if (done.size > 10_000) done.delete(done.values().next().value as string);
    },
    fail: (id) => busy.delete(id),
  };
}
