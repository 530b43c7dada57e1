import { INCIDENTS_MAX } from "../../../contract/overview.ts";
import { errorLine } from "../../../domain/error-line.ts";
import { INCIDENT_GAP_MS } from "../../../domain/incident.ts";
import type { Overview } from "../types.ts";
import type { Account, Stored } from "./account.ts";
import { iso } from "./present.ts";

type Incident = Overview["incidents"][number];

/** Dead and retrying schedules whose last attempt `isIn` the time looked at, by host, last answer and time. */
export function incidentsOf({ schedules }: Account, isIn: (atMs: number) => boolean): Incident[] {
  const all = [...schedules.values()];
  const groups = new Map<string, Stored[]>();
  for (const one of all.filter(({ status }) => status === "dead" || status === "failed")) {
    const key = `${new URL(one.targetUrl).host} ${one.log.at(-1)?.status_code}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()]
    .flatMap(parted)
    .filter((group) => group.some(({ log }) => isIn(log.at(-1)?.atMs ?? 0)))
    .map((group) => presentIncident(all, group))
    .sort((a, b) => b.dead - a.dead || b.retrying - a.retrying || (a.to < b.to ? 1 : -1))
    .slice(0, INCIDENTS_MAX);
}

/** Parts between which at least an hour passed without one that was due. */
function parted(group: readonly Stored[]): Stored[][] {
  const parts: Stored[][] = [];
  for (const one of [...group].sort((a, b) => a.fireMs - b.fireMs)) {
    const last = parts.at(-1);
    if (last && one.fireMs - (last.at(-1)?.fireMs ?? 0) <= INCIDENT_GAP_MS) last.push(one);
    else parts.push([one]);
  }
  return parts;
}

function presentIncident(all: readonly Stored[], group: readonly Stored[]): Incident {
  const copies = (of: Stored) => (of.status === "dead" ? all.filter(({ replayOf }) => replayOf === of.id) : []);
  const isDelivered = (of: Stored) => copies(of).some(({ status }) => status === "succeeded");
  const isOpen = (of: Stored) => copies(of).some(({ nextMs, status }) => nextMs !== null || status === "firing");
  const dueMs = group.map(({ fireMs }) => fireMs);
  const retries = group.map(({ nextMs }) => nextMs).filter((nextMs) => nextMs !== null);
  const attempts = group.map(({ log }) => log.at(-1)).sort((a, b) => (a?.atMs ?? 0) - (b?.atMs ?? 0));
  const errors = attempts.map((attempt) => errorLine(attempt?.error_text ?? "")).filter((error) => error !== null);
  const operations = group.flatMap(copies).map(({ operationId }) => operationId);
  const code = attempts[0]?.status_code ?? null;
  return {
    host: new URL(group[0]?.targetUrl ?? "").host,
    code,
    class: code === null ? "none" : `${Math.floor(code / 100)}xx`,
    error: errors.at(-1) ?? null,
    dead: group.filter((one) => one.status === "dead" && copies(one).length === 0).length,
    retrying: group.filter(({ status }) => status === "failed").length,
    replays_delivered: group.filter(isDelivered).length,
    replays_open: group.filter((one) => isOpen(one) && !isDelivered(one)).length,
    from: iso(Math.min(...dueMs)),
    to: iso(Math.max(...dueMs) + 1),
    next_attempt_at: retries.length ? iso(Math.min(...retries)) : null,
    operation_id:
      operations
        .filter((id) => id !== null)
        .sort()
        .at(-1) ?? null,
  };
}
