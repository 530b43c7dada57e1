/**
 * Why a schedule is dead:
 * - `attempts`: the last of its attempts failed
 * - `status`: the target answered with a status that ends it at once
 * - `expired`: no attempt was to begin any more
 * - `interrupted`: several attempts in a row were interrupted
 * - `blocked`: the address policy refused the target
 * - `deactivated`: its account was deactivated from its due time until it expired
 */
export const END_REASONS = ["attempts", "status", "expired", "interrupted", "blocked", "deactivated"] as const;

export type EndReason = (typeof END_REASONS)[number];
