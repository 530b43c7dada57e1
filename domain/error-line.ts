/** The most characters (code points) that a schedule keeps of an error. */
const ERROR_LINE_LENGTH_MAX = 200;

/**
 * The first line of an error text that is not blank, without the white space around it and cut to 200 characters (code
 * points). Null when there is none.
 */
export function errorLine(errorText: string): string | null {
  const line = errorText.split(LINE_END).find((one) => one.trim() !== "");
  return line === undefined ? null : [...line.trim()].slice(0, ERROR_LINE_LENGTH_MAX).join("");
}

// The line terminators of Unicode: LF, VT, FF, CR, NEL, LS, PS.
const LINE_END = /[\n\v\f\r\u0085\u2028\u2029]/;
