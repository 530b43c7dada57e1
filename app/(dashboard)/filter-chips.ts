import { formatLateRange } from "#components/format/late-range.ts";
import type { FILTER_NAMES } from "#contract/inputs/filters.ts";
import type { LogsInput } from "#contract/inputs/logs-input.ts";
import { encodeId } from "#domain/ids.ts";

type Name = (typeof FILTER_NAMES)[number];

/** The active filters that lists of schedules and attempts have in common, in words, and the parameters that set them. */
export function filterChips(filter: Pick<LogsInput, Name>): { name: Name; label: string }[] {
  const { late, host, code, idempotency_key, operation } = filter;
  const chips: [Name, string | undefined][] = [
    ["host", host && `Host: ${host}`],
    ["code", code && `Code: ${code === "none" ? "No answer" : code}`],
    ["late", late && `Late: ${formatLateRange(late)}`],
    ["idempotency_key", idempotency_key && `Idempotency key: ${idempotency_key}`],
    ["operation", operation && `Copies of ${encodeId("op", operation)}`],
  ];
  return chips.flatMap(([name, label]) => (label === undefined ? [] : [{ name, label }]));
}
