import { type Adversary, bulk, spread } from "./adversary.ts";

/** Holds as many connections to an origin as one account may have, on an origin that the control group uses too. */
export const hangingPath: Adversary = {
  name: "hanging-path",
  does: "400 schedules of one account to a path that hangs, on an origin of the control group",
  accounts: 1,
  cpsLimit: null,
  besideControl: false,
  steps: (random) => bulk(0, 0, spread(random, 400, [2_000, 6_000], { behaviour: "hangs", place: "shared" })),
};

/** A retry needs a connection of its own, and each retry that hangs holds one. */
export const retriesHang: Adversary = {
  name: "retries-hang",
  does: "700 schedules of one account that fail once, and whose retries hang",
  accounts: 1,
  cpsLimit: null,
  besideControl: false,
  steps: (random) => bulk(0, 0, spread(random, 700, [2_000, 5_000], { behaviour: "fails-then-hangs", place: "hung" })),
};

/** No account exceeds a limit of its own. */
export const oneRowEach: Adversary = {
  name: "one-row-each",
  does: "600 accounts with one row each, due at one instant, to one origin that hangs",
  accounts: 600,
  cpsLimit: null,
  besideControl: false,
  steps: () =>
    Array.from({ length: 600 }, (_, account) => ({
      kind: "create" as const,
      atMs: account * 5,
      account,
      orders: [{ dueAtMs: 6_000, behaviour: "hangs" as const, place: "hung" as const }],
    })),
};
