import type { SearchFilter } from "#db/queries/search/search-filter.ts";

/** What `filterParameters` read, as a search takes it. */
export function searchFilter(input: {
  late?: SearchFilter["late"];
  host?: string | undefined;
  code?: string | undefined;
  idempotency_key?: string | undefined;
  operation?: string | undefined;
}): SearchFilter {
  const { late, host, code, idempotency_key, operation } = input;
  return { late, host, code, idempotencyKey: idempotency_key, operationId: operation };
}
