import { printable } from "../output/printable.ts";
import type { StreamEnd } from "./read-stream.ts";

/** Why a stream ended, as the rest of a sentence; `installation` is the address of the service. */
export function explainEnd(end: StreamEnd, installation: string): string {
  switch (end.kind) {
    case "silent":
      return `nothing came for ${seconds(end.ms)}, not even a sign of life`;
    case "clock jumped":
      return `the clock jumped by ${seconds(end.ms)}: this machine slept, or the process was stopped`;
    case "goodbye":
      return GOODBYES[end.reason] ?? `the service ended it (${printable(end.reason)})`;
    case "broken":
      return end.isOpen
        ? `the connection broke (${printable(end.why)})`
        : `${installation} cannot be reached (${printable(end.why)})`;
    case "unreadable":
      return `what came cannot be read (${printable(end.why)})`;
    case "refused":
      return `the service says: ${printable(end.message)} (${printable(end.code)})`;
    case "stopped":
      return "it was stopped";
  }
}

const GOODBYES: Readonly<Record<string, string>> = {
  restart: "the service restarts",
  age: "the stream has reached its age, as each one does",
  replaced: "another stream took this listener over",
};

const seconds = (ms: number) => `${Math.round(ms / 1_000)} s`;
