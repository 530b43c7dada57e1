import type { Query } from "#db/queries/search/query.ts";
import { decodeId } from "#domain/ids.ts";
import { searchedTarget } from "#domain/searched-target.ts";

/** The parameter `q` as a search takes it: part of a target URL as it was typed, or a whole schedule id. */
export function targetQuery(q: string | undefined): Query | undefined {
  return q === undefined ? undefined : { text: searchedTarget(q), scheduleId: decodeId("sch", q) };
}
