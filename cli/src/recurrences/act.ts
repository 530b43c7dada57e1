import type { ChangedRecurrence, Recurrence, RecurrenceFilter } from "../../../sdk/src/types.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../errors/exit-codes.ts";
import { type LimitOptions, parseLimit } from "../input/limit.ts";
import { parseInstantOption } from "../input/parse-instant-option.ts";
import { forEachId } from "../operations/for-each-id.ts";
import { printPages } from "../output/print-pages.ts";
import { recurrenceColumns, recurrenceFacts } from "../output/recurrence-facts.ts";

/** Prints the recurrences of the key's environment. */
export async function list(
  { client, out, say, signal }: Context,
  { status, ...limit }: LimitOptions & Pick<RecurrenceFilter, "status">,
): Promise<undefined> {
  const rows = parseLimit(limit);
  const pager = client().recurrences.list({ status, limit: Math.min(rows, 100) }, { signal });
  await printPages(pager, rows, out.table(recurrenceColumns()), say);
  return undefined;
}

type Options = { note?: string; until?: string; yes?: true };

/** Does something with each of the recurrences that have these keys. Returns the exit code. */
export async function act(
  context: Context,
  action: "get" | "pause" | "resume" | "delete",
  { note, until, yes }: Options,
  keys: readonly string[],
): Promise<number> {
  const { client, out, signal } = context;
  const { recurrences } = client();
  const print = (one: Recurrence | ChangedRecurrence) => out.record(one, recurrenceFacts(one));
  if (action === "get") return forEachId(context, keys, (key) => recurrences.get(key, { signal }), print);
  if (action === "resume") return forEachId(context, keys, (key) => recurrences.resume(key, { signal }), print);
  if (action === "pause") {
    const input = { note, until: until && parseInstantOption(until, "--until") };
    return forEachId(context, keys, (key) => recurrences.pause(key, input, { signal }), print);
  }
  const which = keys.length === 1 ? `the recurrence ${keys[0]}` : `${keys.length} recurrences`;
  if (!(await context.confirm(`Delete ${which}, and take back what has not left?`, yes))) return EXIT.partly;
  return forEachId(
    context,
    keys,
    (key) => recurrences.delete(key, { signal }),
    (deleted) =>
      out.record(deleted, [
        ["deleted", deleted.key],
        ["taken back", String(deleted.taken_back)],
        ["in flight", deleted.in_flight > 0 ? `${deleted.in_flight} that go on` : null],
      ]),
  );
}
