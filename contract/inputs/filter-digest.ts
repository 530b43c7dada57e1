import { sha256 } from "#domain/sha256.ts";

/**
 * A short digest of the filters of a list, by which a cursor is known to belong to them. `query` are the parsed parameters;
 * those that choose page, order or environment are left out. The order of statuses does not matter.
 */
export function filterDigest(query: object): string {
  const filters = Object.entries(query)
    .filter(([name, value]) => value !== undefined && !NO_FILTERS.has(name))
    .map(([name, value]) => [name, Array.isArray(value) ? [...new Set(value)].sort() : value])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify(filters)).slice(0, DIGEST_LENGTH);
}

const NO_FILTERS = new Set(["limit", "offset", "after", "sort", "order", "env"]);
const DIGEST_LENGTH = 12;
