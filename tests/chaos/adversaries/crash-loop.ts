import type { Adversary } from "./adversary.ts";

/** The process takes about one second of this to start. */
const LIVES_MS = 2_000;
const PAUSE_MS = 100;

/** It sends heartbeats, and must not be assigned shards. */
export const crashLoop: Adversary = {
  name: "crash-loop",
  does: "one dispatcher more, killed two seconds after each start",
  accounts: 0,
  cpsLimit: null,
  besideControl: false,
  steps: (_random, forMs) =>
    Array.from({ length: Math.floor(forMs / (LIVES_MS + PAUSE_MS)) }, (_, n) => n * (LIVES_MS + PAUSE_MS)).flatMap(
      (atMs) => [
        { kind: "start", atMs },
        { kind: "kill", atMs: atMs + LIVES_MS },
      ],
    ),
};
