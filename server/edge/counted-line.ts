/**
 * Logs at most one line a minute about an event that callers can cause at will: the first event at once, then one line
 * after each minute with further events. `write` gets the number of events since the last line.
 */
export class CountedLine {
  readonly #write: (count: number) => void;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (count: number) => void) {
    this.#write = write;
  }

  add(): void {
    this.#count++;
    if (this.#timer === undefined) this.#writeNow();
  }

  #writeNow(): void {
    this.#write(this.#count);
    this.#count = 0;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#count > 0) this.#writeNow();
    }, MINUTE_MS);
    this.#timer.unref();
  }
}

const MINUTE_MS = 60_000;
