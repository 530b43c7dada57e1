/** Schedules that are to be read soon, by id: they were announced, or came back. `UrgentReads` reads them. */
export class WantedReads {
  readonly #ids = new Set<string>();
  /** Called when something is wanted. Set by the reader. */
  onWanted: (() => void) | undefined;

  add(ids: readonly string[]): void {
    for (const id of ids) this.#ids.add(id);
    if (ids.length > 0) this.onWanted?.();
  }

  get size(): number {
    return this.#ids.size;
  }

  /** Takes out at most `max` schedules. */
  take(max: number): string[] {
    const ids = [...this.#ids.values().take(max)];
    for (const id of ids) this.#ids.delete(id);
    return ids;
  }
}
