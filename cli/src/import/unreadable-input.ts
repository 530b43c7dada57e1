/** The input cannot be read beyond a place. `line` and `column` count from 1, `column` in characters. */
export class UnreadableInput extends Error {
  readonly line: number;
  readonly column: number;

  constructor(line: number, column: number, message: string) {
    super(message);
    this.line = line;
    this.column = column;
  }
}
