/** Ids of schedules to be read soon, because they were announced or came back. `UrgentReads` reads them. */
export class IdsToRead {
  readonly #ids = new Set<string>();
  /** Called when something was added. `lifecycle.ts` sets it. */
  onAdded: (() => void) | undefined;

  add(ids: readonly string[]): void {
    for (const id of ids) this.#ids.add(id);
    if (ids.length > 0) this.onAdded?.();
  }

  get size(): number {
    return this.#ids.size;
  }

  /** Removes and returns at most `max` ids. */
  take(max: number): string[] {
    const ids = [...this.#ids.values().take(max)];
    for (const id of ids) this.#ids.delete(id);
    return ids;
  }
}
