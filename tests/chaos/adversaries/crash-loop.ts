import type { Adversary } from "./adversary.ts";

const LIVES_MS = 1_000;
const PAUSE_MS = 100;

/** One dispatcher more that is killed a second after each start. */
export const crashLoop: Adversary = {
  name: "crash-loop",
  does: "one dispatcher more, killed a second after each start",
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
