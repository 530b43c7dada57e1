/**
 * How an attempt ended:
 * - `delivered`: the target answered 2xx
 * - `rejected`: the target answered with any other status
 * - `unreachable`: the target did not answer
 * - `blocked`: the address policy refused the target
 * - `interrupted`: the dispatcher was lost between sending and recording; nobody knows whether the target was reached
 */
export const ATTEMPT_OUTCOMES = ["delivered", "rejected", "unreachable", "blocked", "interrupted"] as const;

export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** Who carried a request that did not go over a connection to its target. */
export const ATTEMPT_CARRIERS = ["listener"] as const;
