/** One line about how far things are: redrawn in place on a terminal, otherwise written anew once a second. */
export function createProgress(stream: NodeJS.WriteStream) {
  let writtenAtMs = Number.NEGATIVE_INFINITY;
  return {
    show(text: string) {
      if (stream.isTTY) {
        stream.write(`\r\u001b[2K${text.slice(0, stream.columns - 1)}`);
      } else if (performance.now() - writtenAtMs >= 1_000) {
        writtenAtMs = performance.now();
        stream.write(`${text}\n`);
      }
    },
    /** Leaves the line, so that others can write. */
    end() {
      if (stream.isTTY) stream.write("\r\u001b[2K");
    },
  };
}
