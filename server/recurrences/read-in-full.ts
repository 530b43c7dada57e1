import { presentRecurrence } from "#contract/recurrences.ts";
import { recurrenceNotFound } from "#contract/refusals.ts";
import type { RecurrenceRow } from "#db/queries/recurrences/find.ts";
import { countOpenOccurrences, findLastOccurrences, listOccurrences } from "#db/queries/recurrences/occurrences.ts";
import { AppError } from "#domain/errors.ts";
import { encodeId } from "#domain/ids.ts";
import type { Ctx } from "../context.ts";
import { getRecurrence } from "./get.ts";
import { listOwnRecurrences } from "./list.ts";

/** Bars of a tape. */
const OCCURRENCES_MAX = 120;

/**
 * What the page of a recurrence shows: itself, what became of its instants that are due (the newest first), and its schedule that
 * is next. Throws NOT_FOUND.
 */
export async function readRecurrenceInFull(ctx: Ctx, key: string) {
  const row = await readForPage(ctx, key);
  const made = await ctx.query(({ sql }) => listOccurrences(sql, ctx.tenant, row.id, OCCURRENCES_MAX));
  const isDue = ({ status, fireAtMs }: (typeof made)[number]) => status !== "scheduled" || fireAtMs <= row.nowMs;
  // What was taken back before it was due never was an occurrence for its owner.
  const past = made.filter((one) => isDue(one) && (one.status !== "cancelled" || one.fireAtMs <= row.nowMs));
  const sent = past.map(({ id, status, occurrenceAtMs, offsetMs }) => ({
    ...{ at: new Date(occurrenceAtMs), id: encodeId("sch", id), status, offsetMs },
  }));
  const next = made.filter((one) => !isDue(one)).at(-1);
  return {
    ...{ row, recurrence: presentRecurrence(row), nextId: next && encodeId("sch", next.id) },
    past: withLeftOut(sent, row),
  };
}

function withLeftOut<T extends { at: Date }>(sent: readonly T[], { leftOut }: RecurrenceRow) {
  const left = leftOut.map(({ fromMs, toMs, count, reason }) => ({
    ...{ at: new Date(fromMs), to: new Date(toMs), count, reason },
  }));
  // An occurrence that was left out once it was made is in both lists.
  const isLeft = new Set(left.map(({ at }) => at.getTime()));
  const all = [...sent.filter(({ at }) => !isLeft.has(at.getTime())), ...left];
  return all.toSorted((a, b) => b.at.getTime() - a.at.getTime());
}

/** The recurrence of a page. A text that cannot be a key is that of none. Throws NOT_FOUND. */
async function readForPage(ctx: Ctx, key: string): Promise<RecurrenceRow> {
  return getRecurrence(ctx, key).catch((error) => {
    throw error instanceof AppError && error.code === "VALIDATION" ? recurrenceNotFound() : error;
  });
}

/** A page of the recurrences of the list, each with its last occurrence. */
export async function listRecurrencesInFull(ctx: Ctx, at: { limit: number; offset: number }) {
  const { rows, ...page } = await listOwnRecurrences(ctx, { ...at, after: undefined });
  const ids = rows.map(({ id }) => id);
  const last = ids.length === 0 ? [] : await ctx.query(({ sql }) => findLastOccurrences(sql, ctx.tenant, ids));
  const byId = new Map(last.map((one) => [one.recurrenceId, { status: one.status, at: new Date(one.occurrenceAtMs) }]));
  return { ...page, recurrences: rows.map((row) => ({ ...presentRecurrence(row), last: byId.get(row.id) ?? null })) };
}

/** How many occurrences a deletion would take back, and how many would go on. Throws NOT_FOUND. */
export async function readDeletion(ctx: Ctx, key: string) {
  const row = await readForPage(ctx, key);
  return { row, ...(await ctx.query(({ sql }) => countOpenOccurrences(sql, ctx.tenant, row.id))) };
}
