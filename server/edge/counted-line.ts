/**
 * Writes one line a minute about something that callers can cause as often as they like: the first time at once, and then
 * after each minute in which it happened again. `write` gets how often it happened since the last line.
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
