import { HOSTILE_KINDS, type HostileKind, MANY_NAMES } from "../origins.ts";
import { type Adversary, bulk, stream } from "./adversary.ts";

const HOSTS = 200;
const HOSTS_FOR_MS = 10_000;

/** Each host takes a connection that stays in the opening state until its name lookup is given up. */
export const unresolvedNames: Adversary = {
  name: "unresolved-names",
  does: `five accounts with ${HOSTS} hosts each whose names are never answered`,
  accounts: 5,
  cpsLimit: null,
  besideControl: false,
  steps: (random) =>
    Array.from({ length: 5 }, (_, account) =>
      bulk(
        0,
        account,
        Array.from({ length: HOSTS }, (_, n) => ({
          dueAtMs: Math.ceil(3_000 + random.between(0, HOSTS_FOR_MS)),
          behaviour: "ok" as const,
          place: { unresolved: account * HOSTS + n },
        })),
      ),
    ).flat(),
};

/** A dispatcher remembers each origin for a while after its last delivery. */
export const manyOrigins: Adversary = {
  name: "many-origins",
  does: `${MANY_NAMES.toLocaleString("en")} origins of one account, 100 a second`,
  accounts: 1,
  cpsLimit: null,
  besideControl: false,
  steps: (_random, forMs) => {
    const seconds = Math.max(Math.min(Math.floor(forMs / 1_000) - AHEAD_S - 1, MANY_NAMES / PER_SECOND), 1);
    return Array.from({ length: seconds }, (_, second) => ({
      kind: "create" as const,
      atMs: second * 1_000,
      account: 0,
      orders: Array.from({ length: PER_SECOND }, (_, n) => ({
        dueAtMs: Math.ceil((second + AHEAD_S) * 1_000 + (n * 1_000) / PER_SECOND),
        behaviour: "ok" as const,
        place: { many: second * PER_SECOND + n },
      })),
    }));
  },
};

const PER_SECOND = 100;
const AHEAD_S = 2;

/** What a target sends decides how much a dispatcher computes, all at once where nothing bounds it. */
export const hostilePeers: Adversary = {
  name: "hostile-peers",
  does: "4 a second of one account to targets that send floods of TLS records, costly certificates and endless answers",
  accounts: 1,
  cpsLimit: null,
  besideControl: false,
  steps: (_random, forMs) =>
    stream(0, 4, forMs, (n) => ({
      behaviour: "ok",
      place: { hostile: HOSTILE_KINDS[n % HOSTILE_KINDS.length] as HostileKind },
    })),
};
