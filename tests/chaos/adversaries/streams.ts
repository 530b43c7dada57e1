import { type Adversary, stream } from "./adversary.ts";

/** Requests beyond the account's rate wait longer and longer. */
export const overRate: Adversary = {
  name: "over-rate",
  does: "one account with 40 due a second and a rate of 20",
  accounts: 1,
  cpsLimit: 20,
  besideControl: false,
  steps: (_random, forMs) => stream(0, 40, forMs, () => ({ behaviour: "ok", place: "well" })),
};

/** The warm connections are in use all the time, so a retry needs a new one. */
export const busyTarget: Adversary = {
  name: "busy-target",
  does: "120 a second to a target that answers in 40 ms, every 13th of which is retried",
  accounts: 1,
  cpsLimit: null,
  besideControl: false,
  steps: (_random, forMs) =>
    stream(0, 120, forMs, (n) => ({
      behaviour: n % 13 === 0 ? "takes-40-ms-fails-once" : "takes-40-ms",
      place: "busy",
    })),
};

/** Keeps 40 connections busy. */
export const slowTarget: Adversary = {
  name: "slow-target",
  does: "80 a second to a target that answers in 500 ms",
  accounts: 1,
  cpsLimit: null,
  besideControl: false,
  steps: (_random, forMs) => stream(0, 80, forMs, () => ({ behaviour: "takes-500-ms", place: "slow" })),
};
