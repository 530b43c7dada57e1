import { filtersInWords } from "#components/format/filter-words.ts";
import { formatRange } from "#components/format/range.ts";
import { capitalised, statusWord } from "#components/format/status-word.ts";
import type { ListedSchedule } from "#components/schedules/schedule-table.tsx";
import { FILTER_NAMES, filtersOf, writeFilters } from "#domain/filters.ts";
import { encodeId } from "#domain/ids.ts";
import type { OperationAction } from "#domain/operations.ts";
import { STATUSES } from "#domain/states.ts";
import type { ScheduleListing } from "#server/schedules/list-upcoming.ts";
import { hrefIn, type View } from "../view.ts";
import type { ScheduleListQuery, Sort } from "./list-query.ts";
import type { Counts } from "./read-list.ts";

type Changes = Readonly<Record<string, string | undefined>>;

/** The address of this list with some of its parameters changed: its first page, unless `changes` name one. */
export function listHref({ env, path, params }: View, changes: Changes): string {
  const { status, q, range, from, to, sort } = params;
  const narrower = Object.fromEntries(FILTER_NAMES.map((name) => [name, params[name]]));
  return hrefIn(env, path, { status, q, ...narrower, range, from, to, sort, ...changes });
}

/** The address of the page that asks for confirmation of an action. */
export function confirmHref(view: View, action: OperationAction, scope: Changes): string {
  return hrefIn(view.env, "/schedules/confirm", { action, ...scope });
}

/** The rows of the list, with the addresses of their pages; `back` is where those that ask lead back to. */
export function listedSchedules(view: View, rows: ScheduleListing["rows"], back: string): ListedSchedule[] {
  return rows.map((row) => {
    const id = encodeId("sch", row.id);
    return {
      id,
      url: row.targetUrl,
      method: row.method,
      status: row.status,
      fireAt: row.fireAt,
      createdAt: row.createdAt,
      offsetMs: row.offsetMs,
      attempts: row.attempts,
      nextAttemptAt: row.nextAttemptAt,
      href: hrefIn(view.env, `/schedules/${id}`),
      cancelHref: confirmHref(view, "cancel", { ids: id, back }),
      replayHref: confirmHref(view, "replay", { ids: id, back }),
    };
  });
}

/** A tab for all schedules and one for each status, with the number of schedules where it is known. */
export function tabsOf(view: View, { filter, problem }: ScheduleListQuery, counts: Counts, listing: ScheduleListing) {
  const current = problem === undefined ? filter.status?.join(",") : null;
  const ofList = { count: listing.total, isCapped: listing.totalCapped };
  const tab = (
    label: string,
    status: string | undefined,
    counted: { count: number; isCapped: boolean } | undefined,
  ) => ({
    label,
    href: listHref(view, { status }),
    isCurrent: status === current,
    ...(status === current ? ofList : counted),
  });
  return [
    tab("All", undefined, counts?.all),
    ...STATUSES.map((status) => tab(capitalised(statusWord(status)), status, counts?.byStatus[status])),
  ];
}

/** The active filters, each with the address of the list without it. A single status has its tab instead. */
export function chipsOf(view: View, { filter, range }: ScheduleListQuery) {
  const chips: { label: string; removeHref: string }[] = [];
  const { status, q } = filter;
  if (status && status.length > 1) {
    chips.push({ label: status.map(statusWord).join(" or "), removeHref: listHref(view, { status: undefined }) });
  }
  if (q) chips.push({ label: `“${q}”`, removeHref: listHref(view, { q: undefined }) });
  for (const { name, chip } of filtersInWords(writeFilters(filtersOf(filter), null)))
    chips.push({ label: chip, removeHref: listHref(view, { [name]: undefined }) });
  if (range.from ?? range.to) {
    const removed = { range: undefined, from: undefined, to: undefined };
    chips.push({ label: `Due ${formatRange(range, view.zone)}`, removeHref: listHref(view, removed) });
  }
  return chips;
}

/** The links of column heads. The head of the sorted column reverses the order. */
export function sortLinks(view: View, sort: Sort) {
  const link = (to: Sort) => listHref(view, { sort: to === "upcoming" ? undefined : to });
  const firesDirection = sort === "fire_at" ? "ascending" : sort === "-fire_at" ? "descending" : undefined;
  return {
    fires: {
      href: link(sort === "fire_at" ? "-fire_at" : sort === "-fire_at" ? "upcoming" : "fire_at"),
      ...(firesDirection && { direction: firesDirection as "ascending" | "descending" }),
    },
    late: {
      href: link(sort === "late" ? "upcoming" : "late"),
      ...(sort === "late" && { direction: "descending" as const }),
    },
    created: {
      href: link(sort === "-created_at" ? "upcoming" : "-created_at"),
      ...(sort === "-created_at" && { direction: "descending" as const }),
    },
  };
}
