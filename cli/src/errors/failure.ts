/** A failure that is none of the service's: what is wrong, what to do about it, and the exit code. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly exitCode: number;
  readonly fix: string;

  constructor(message: string, { exitCode, fix }: { exitCode: number; fix: string }) {
    super(message);
    this.exitCode = exitCode;
    this.fix = fix;
  }
}
