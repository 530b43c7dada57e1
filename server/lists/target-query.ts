import type { Query } from "#db/queries/search/passes.ts";
import { decodeId } from "#domain/ids.ts";

/** The parameter `q` as a search takes it: part of a target URL, or a whole schedule id. */
export function targetQuery(q: string | undefined): Query | undefined {
  return q === undefined ? undefined : { text: q, scheduleId: decodeId("sch", q) };
}
