import { formatInstant } from "#components/format/instant.ts";
import type { ListedSchedule } from "#components/schedules/schedule-table.tsx";
import { encodeId } from "#domain/ids.ts";
import type { OperationAction } from "#domain/operations.ts";
import { STATUSES } from "#domain/states.ts";
import type { ScheduleListing } from "#server/schedules/list-upcoming.ts";
import { hrefIn, type View } from "../view.ts";
import { FIRES, type ScheduleListQuery, type Sort } from "./list-query.ts";
import type { Counts } from "./read-list.ts";

type Changes = Readonly<Record<string, string | undefined>>;

/** The address of this list with some of its parameters changed: its first page, unless `changes` name one. */
export function listHref({ env, path, params }: View, changes: Changes): string {
  const { status, q, fires, from, to, sort } = params;
  return hrefIn(env, path, { status, q, fires, from, to, sort, ...changes });
}

/** The address of the page that asks for confirmation of an action. */
export function confirmHref(view: View, action: OperationAction, scope: Changes): string {
  return hrefIn(view.env, "/schedules/confirm", { action, ...scope });
}

export function listedSchedules(view: View, rows: ScheduleListing["rows"], back: string): ListedSchedule[] {
  return rows.map((row) => {
    const id = encodeId("sch", row.id);
    return {
      id,
      ...{ url: row.targetUrl, method: row.method, status: row.status, fireAt: row.fireAt, createdAt: row.createdAt },
      ...{ offsetMs: row.offsetMs, attempts: row.attempts },
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
    ...STATUSES.map((status) =>
      tab(status.charAt(0).toUpperCase() + status.slice(1), status, counts?.byStatus[status]),
    ),
  ];
}

/** The active filters, each with the address of the list without it. A single status has its tab instead. */
export function chipsOf(view: View, { filter, fires }: ScheduleListQuery) {
  const chips: { label: string; removeHref: string }[] = [];
  const { status, q, from, to } = filter;
  if (status && status.length > 1) {
    chips.push({ label: status.join(" or "), removeHref: listHref(view, { status: undefined }) });
  }
  if (q) chips.push({ label: `“${q}”`, removeHref: listHref(view, { q: undefined }) });
  if (fires) {
    const bounds = [from && `from ${formatInstant(from, view.zone)}`, to && `before ${formatInstant(to, view.zone)}`];
    const label = fires === "between" ? bounds.filter(Boolean).join(", ") : `Fires ${FIRES[fires].toLowerCase()}`;
    const removed = { fires: undefined, from: undefined, to: undefined };
    chips.push({ label: label || "Between", removeHref: listHref(view, removed) });
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
    created: {
      href: link(sort === "-created_at" ? "upcoming" : "-created_at"),
      ...(sort === "-created_at" && { direction: "descending" as const }),
    },
  };
}
