/**
 * Calls `onKey` for each key that is pressed on a terminal, without waiting for a line. Ctrl-C stays what it is. Returns what
 * gives the terminal back.
 */
export function readKeys(stdin: NodeJS.ReadStream, onKey: (key: string) => void): () => void {
  const onData = (chunk: Buffer) => {
    for (const key of chunk.toString()) {
      if (key === "\x03") process.kill(process.pid, "SIGINT");
      else onKey(key);
    }
  };
  const giveBack = () => {
    stdin.off("data", onData);
    stdin.setRawMode(false);
    stdin.pause();
    process.off("exit", giveBack);
  };
  stdin.setRawMode(true);
  stdin.on("data", onData).resume();
  process.once("exit", giveBack);
  return giveBack;
}
