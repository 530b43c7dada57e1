/**
 * When a schedule is to fire: at an instant (epoch ms), or a number of whole ms from now by the database's clock, where
 * 0 is now.
 */
export type FireTime = { atMs: number } | { inMs: number };

export const NOW: FireTime = { inMs: 0 };
