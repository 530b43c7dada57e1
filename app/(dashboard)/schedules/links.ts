import { formatInstant } from "#components/format/instant.ts";
import type { ListedSchedule } from "#components/schedules/schedule-table.tsx";
import { encodeId } from "#domain/ids.ts";
import type { OperationAction } from "#domain/operations.ts";
import { STATUSES } from "#domain/states.ts";
import type { ScheduleListing } from "#server/schedules/list-upcoming.ts";
import { hrefIn, type View } from "../view.ts";
import { type Asked, FIRES, type Sort } from "./asked.ts";
import type { Counts } from "./read-list.ts";

type Changes = Readonly<Record<string, string | undefined>>;

/** This list with something changed: its first page, unless `changes` name one, and without what was said once. */
export function listHref({ env, path, params }: View, changes: Changes): string {
  const { status, q, fires, from, to, sort } = params;
  return hrefIn(env, path, { status, q, fires, from, to, sort, ...changes });
}

/** The page that asks before an action. */
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

/** All and each status, with how many schedules they have where that is known. */
export function tabsOf(view: View, { filter }: Asked, counts: Counts, listing: ScheduleListing) {
  const current = filter.statuses?.join(",");
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

/** The filters that hold, each with the address of the list without it. Statuses have their tabs, unless several hold. */
export function chipsOf(view: View, { filter, fires }: Asked) {
  const chips: { label: string; removeHref: string }[] = [];
  const { statuses, q, from, to } = filter;
  if (statuses && statuses.length > 1) {
    chips.push({ label: statuses.join(" or "), removeHref: listHref(view, { status: undefined }) });
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

/** Where the heads of columns lead: the same column again turns its order round. */
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
