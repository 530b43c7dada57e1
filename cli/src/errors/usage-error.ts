/**
 * The command line is wrong, and nothing was sent. The message begins with the option or argument as it is typed, such as
 * `--in must be a duration`; `example` is a command line that is right.
 */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly example: string | undefined;

  constructor(message: string, example?: string) {
    super(message);
    this.example = example;
  }
}
