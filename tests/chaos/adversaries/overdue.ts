import { type Adversary, bulk, type Step, spread, type Target } from "./adversary.ts";

/** When their rows fall due and when the accounts are deactivated, ms after the attack began. */
const DUE_MS = [6_000, 6_500] as const;
const DEACTIVATED_MS = 5_000;
const ACTIVE_AGAIN_MS = 9_000;
const TARGET = { behaviour: "ok", place: "well" } as const satisfies Target;

/**
 * 5,000 rows of one shard that become overdue while their accounts are deactivated. They are sent at 200 a second
 * afterwards.
 */
export const overdueInOneShard: Adversary = {
  name: "overdue-in-one-shard",
  does: "five accounts in one shard, each active again with 1,000 overdue rows and a rate of 40 a second",
  accounts: 5,
  cpsLimit: 40,
  besideControl: true,
  steps: (random) => [
    ...Array.from({ length: 5 }, (_, account) => bulk(0, account, spread(random, 1_000, DUE_MS, TARGET))).flat(),
    ...deactivatedUntil(ACTIVE_AGAIN_MS),
  ],
};

/** More rows than a dispatcher reads of a shard in half a second. None can be sent while the attack lasts. */
export const deactivated: Adversary = {
  name: "deactivated",
  does: "five accounts in one shard, deactivated with 4,000 rows each, which are overdue as long as it lasts",
  accounts: 5,
  cpsLimit: null,
  besideControl: true,
  steps: (random, forMs) => [
    ...Array.from({ length: 5 }, (_, account) =>
      bulk(account * 700, account, spread(random, 4_000, DUE_MS, TARGET)),
    ).flat(),
    ...deactivatedUntil(forMs),
  ],
};

/** The same over all shards at the accounts' full rate, which is more than one process can send within some seconds. */
export const overdueOfMany: Adversary = {
  name: "overdue-of-many",
  does: "50 accounts, each active again with 100 overdue rows, all at once",
  accounts: 50,
  cpsLimit: null,
  besideControl: false,
  steps: (random) => [
    ...Array.from({ length: 50 }, (_, account) =>
      bulk(account * 40, account, spread(random, 100, DUE_MS, TARGET)),
    ).flat(),
    ...deactivatedUntil(ACTIVE_AGAIN_MS),
  ],
};

const deactivatedUntil = (untilMs: number): Step[] => [
  { kind: "deactivate", atMs: DEACTIVATED_MS },
  { kind: "activate", atMs: untilMs },
];
