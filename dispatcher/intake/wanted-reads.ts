type Lane = { accountId: string; env: "live" | "test" };

/** What is to be read soon: schedules by id, and lanes that have room in memory again. `UrgentReads` reads it. */
export class WantedReads {
  #ids = new Set<string>();
  readonly #lanes = new Map<string, Lane>();
  /** Called when something is wanted. Set by the reader. */
  onWanted: (() => void) | undefined;

  /** These schedules were announced, or came back. */
  addSchedules(ids: readonly string[]): void {
    for (const id of ids) this.#ids.add(id);
    if (ids.length > 0) this.onWanted?.();
  }

  /** The head of this lane may be read. */
  addLane(key: string, { accountId, env }: Lane): void {
    this.#lanes.set(key, { accountId, env });
    this.onWanted?.();
  }

  isEmpty(): boolean {
    return this.#ids.size === 0 && this.#lanes.size === 0;
  }

  /** Takes out at most `max` schedules. */
  takeSchedules(max: number): string[] {
    const ids = [...this.#ids].slice(0, max);
    for (const id of ids) this.#ids.delete(id);
    return ids;
  }

  /** Takes out at most `max` lanes. */
  takeLanes(max: number): [key: string, lane: Lane][] {
    const lanes = [...this.#lanes].slice(0, max);
    for (const [key] of lanes) this.#lanes.delete(key);
    return lanes;
  }
}
