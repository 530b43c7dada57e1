import type { Random } from "../helpers/random.ts";
import { ADVERSARIES, getAdversaryOrThrow } from "./adversaries/adversaries.ts";
import type { Step } from "./adversaries/adversary.ts";

/** One adversary at work for a limited time. */
export type Attack = { adversary: string; atMs: number; forMs: number; steps: Step[] };

/** By then the fleet has started and divided the shards. */
const FIRST_ATTACK_MS = 10_000;
const ATTACK_MS = [20_000, 30_000] as const;
const ATTACK_MS_MIN = 14_000;
const PAUSE_MS = [500, 3_000] as const;
const AT_ONCE_MAX = 3;

/**
 * Draws when each adversary acts. They take turns, in a new order each round; several act at once, and none twice at a
 * time. Times in ms from the start of the run; every attack is over by the end of the run.
 */
export function drawAttacks(random: Random, runMs: number, names: readonly string[]): Attack[] {
  const known = ADVERSARIES.map(({ name }) => name).filter((name) => names.includes(name));
  if (known.length === 0) return [];
  const attacks: Attack[] = [];
  const freeAtMs = Array.from({ length: Math.min(AT_ONCE_MAX, known.length) }, () => FIRST_ATTACK_MS);
  const turns: string[] = [];
  for (;;) {
    const track = freeAtMs.indexOf(Math.min(...freeAtMs));
    const atMs = (freeAtMs[track] as number) + random.between(...PAUSE_MS);
    const forMs = Math.min(random.between(...ATTACK_MS), runMs - atMs);
    if (forMs < ATTACK_MS_MIN) return attacks;
    // One round more than needed. There are no more tracks than names, so it contains an adversary that is not at work.
    if (turns.length < known.length) turns.push(...random.shuffled(known));
    const atWork = new Set(attacks.filter((one) => one.atMs + one.forMs >= atMs).map(({ adversary }) => adversary));
    const [adversary] = turns.splice(
      turns.findIndex((name) => !atWork.has(name)),
      1,
    ) as [string];
    attacks.push({ adversary, atMs, forMs, steps: getAdversaryOrThrow(adversary).steps(random, forMs) });
    freeAtMs[track] = atMs + forMs;
  }
}
