/**
 * Shows progress: on a terminal one line that is overwritten, elsewhere one line a second. `log` writes a line that
 * stays; `end` keeps the last one.
 */
export function createProgress(out: NodeJS.WriteStream) {
  let shown = "";
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    show(text: string) {
      if (text === shown) return;
      if (out.isTTY) out.write(`${CLEAR_LINE}${text.slice(0, (out.columns || 80) - 1)}`);
      else if (performance.now() - shownAt < 1_000) return;
      else out.write(`${text}\n`);
      shown = text;
      shownAt = performance.now();
    },
    log(line: string) {
      out.write(out.isTTY && shown ? `${CLEAR_LINE}${line}\n` : `${line}\n`);
    },
    end() {
      if (out.isTTY && shown) out.write("\n");
      shown = "";
    },
  };
}

const CLEAR_LINE = "\r\x1b[K";
