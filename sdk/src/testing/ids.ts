import { encodeId, type IdPrefix } from "../../../domain/ids.ts";

/** The n-th id. Ids sort as they were made, and are the same in every run. */
export function makeId(prefix: IdPrefix, n: number): string {
  return encodeId(prefix, makeUuid(n));
}

export function makeUuid(n: number): string {
  const hex = n.toString(16).padStart(32, "0");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
