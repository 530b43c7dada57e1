/** Thrown by `onDelivery`: answers 503 with `Retry-After`; the next attempt waits at least this many seconds. */
export class RetryLater extends Error {
  override readonly name = "RetryLater";
  readonly seconds: number;

  constructor(seconds: number) {
    super();
    this.seconds = seconds;
  }
}

/** Thrown by `onDelivery`: answers 410, after which no attempt follows. The schedule is dead. */
export class Gone extends Error {
  override readonly name = "Gone";
  declare readonly seconds: undefined;
}
