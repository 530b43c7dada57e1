import { cutTo } from "./cell-width.ts";

/** A line on stderr that is overwritten while something goes on. Where there is no terminal, nothing is shown. */
export type Progress = {
  show(text: string): void;
  /** Removes the line. */
  end(): void;
};

export function createProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  if (!stream.isTTY) return { show: () => {}, end: () => {} };
  return {
    show: (text) => void stream.write(`${CLEAR_LINE}${cutTo(text, (stream.columns || 80) - 1)}`),
    end: () => void stream.write(CLEAR_LINE),
  };
}

const CLEAR_LINE = "\r\u001b[K";
