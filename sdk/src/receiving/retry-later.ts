/** Thrown by `onDelivery`: answers 503 with `Retry-After`, so that the next attempt waits for so many seconds or longer. */
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
