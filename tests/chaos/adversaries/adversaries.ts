import type { Adversary } from "./adversary.ts";
import { crashLoop } from "./crash-loop.ts";
import { hangingPath, oneRowEach, retriesHang } from "./hanging.ts";
import { hostilePeers, manyOrigins, unresolvedNames } from "./origins.ts";
import { deactivated, overdueInOneShard, overdueOfMany } from "./overdue.ts";
import { busyTarget, overRate, slowTarget } from "./streams.ts";

/** All adversaries. */
export const ADVERSARIES: readonly Adversary[] = [
  overdueInOneShard,
  deactivated,
  crashLoop,
  hangingPath,
  overRate,
  retriesHang,
  busyTarget,
  slowTarget,
  oneRowEach,
  overdueOfMany,
  unresolvedNames,
  manyOrigins,
  hostilePeers,
];

/** Returns the adversary with this name. Throws when there is none. */
export function getAdversaryOrThrow(name: string): Adversary {
  const found = ADVERSARIES.find((one) => one.name === name);
  if (!found) throw new Error(`there is no adversary ${name}`);
  return found;
}
