/**
 * The next attempt of an occurrence that is held until it is known whether it would overlap an earlier one. Its owner sees the
 * instant at which it fires.
 */
export const HELD = "9999-12-31T00:00:00Z";
