import { fstatSync, fsyncSync, writeSync } from "node:fs";

/** Lines in a file that is open. What they are written to is safe when `sync` has returned. */
export type FileLines = { write(item: object): void; sync(): void };

/** Lines for a descriptor; undefined when it is no file, so that nobody knows where its lines end up. */
export function fileLines(descriptor: number): FileLines | undefined {
  if (!fstatSync(descriptor).isFile()) return undefined;
  return {
    write(item) {
      let bytes = Buffer.from(`${JSON.stringify(item)}\n`);
      while (bytes.length > 0) bytes = bytes.subarray(writeSync(descriptor, bytes));
    },
    sync: () => fsyncSync(descriptor),
  };
}
