/** When a schedule is to fire: at an instant (epoch ms), or a number of whole ms from now by the database's clock. */
export type FireTime = { atMs: number } | { inMs: number };
