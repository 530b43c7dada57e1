import type { OperationSet } from "../../../sdk/src/types.ts";
import { localTimeInZone } from "../output/local-time.ts";
import { printable } from "../output/printable.ts";

/** A filter in words: `scheduled or failed, with "hook" in the address, that fire before …`. */
export function describeFilter({ status, q, from, to, ...narrow }: OperationSet): string {
  const { host, code, late, idempotency_key: key, operation, recurrence } = narrow;
  const parts = [
    status?.join(" or ") ?? "of any status",
    host && `to ${printable(host)}`,
    code && (code === "none" ? "last without an answer" : `last answered ${printable(code)}`),
    late && `${printable(late)} ms late`,
    key && `with the idempotency key "${printable(key)}"`,
    operation && `made by ${printable(operation)}`,
    recurrence && `of the recurrence "${printable(recurrence)}"`,
    q && `with "${printable(q)}" in the address`,
    from && `that fire from ${localTimeInZone(String(from))} on`,
    to && `that fire before ${localTimeInZone(String(to))}`,
  ];
  return parts.filter(Boolean).join(", ");
}
