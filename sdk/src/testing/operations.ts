import type { OperationInput } from "../../../contract/inputs/operation-input.ts";
import { cannotBeStopped, tooManyRunning, tooManyToday } from "../../../contract/refusals.ts";
import { AppError } from "../../../domain/errors.ts";
import { filtersOf, writeFilters } from "../../../domain/filters.ts";
import { decodeId, encodeId } from "../../../domain/ids.ts";
import { OPERATIONS_RUNNING_MAX, type OperationFilter } from "../../../domain/operations.ts";
import { operationFields } from "../../../domain/request-fields.ts";
import type { LeftAlone, Operation, StartedOperation } from "../types.ts";
import { type Account, DAY_MS, type StoredOperation } from "./account.ts";
import { store } from "./create.ts";
import { type Search, searchSchedules } from "./lists.ts";
import { cancel } from "./move.ts";
import { presentOperation } from "./present.ts";
import { repeatOf } from "./repeat.ts";

/** Accepts an operation, or finds the one that has its idempotency key. `runOperations` carries it out. */
export function startOperation(account: Account, body: OperationInput): StartedOperation {
  const { action, all, idempotencyKey: key } = body;
  const filter = all ? {} : body.filter;
  const chosen = filter ? null : [...new Set(body.schedules)];
  const compared = JSON.stringify(
    operationFields({ action, filter: filter ? operationFilter(filter) : null, scheduleIds: chosen }),
  );
  const known = [...account.operations.values()].find((one) => key !== undefined && one.idempotencyKey === key);
  if (known) return { ...presentOperation(known), replayed: true, mismatch: known.compared !== compared };
  checkCount(account);
  const ids = filter
    ? searchSchedules(account, filter).map(({ id }) => id)
    : (chosen ?? []).map((id) => encodeId("sch", id));
  const unknown = filter ? 0 : ids.filter((id) => !account.schedules.has(id)).length;
  const isNothing = ids.length === unknown;
  const total = Math.min(ids.length, 10_000);
  const operation: StoredOperation = {
    ...{ id: account.makeId("op"), action, idempotencyKey: key, compared },
    filter: filter ? presentFilter(filter) : null,
    total: { total, ...(ids.length > total && { total_capped: true }) },
    members: ids.filter((id) => account.schedules.has(id)),
    status: isNothing ? "done" : "running",
    acted: 0,
    leftAlone: unknown ? { not_found: unknown } : {},
    ...{ createdMs: account.nowMs, updatedMs: account.nowMs, endedMs: isNothing ? account.nowMs : null },
  };
  account.operations.set(operation.id, operation);
  return { ...presentOperation(operation), replayed: false, mismatch: false };
}

/** Carries out what is running. */
export function runOperations(account: Account): void {
  for (const operation of account.operations.values()) {
    if (operation.status !== "running") continue;
    for (const id of operation.members) {
      const reason = act(account, operation, id);
      if (reason) operation.leftAlone[reason] = (operation.leftAlone[reason] ?? 0) + 1;
      else operation.acted++;
    }
    end(account, operation, "done");
  }
}

/** Stops an operation; what it has done stays. One that was stopped stays so. */
export function stopOperation(account: Account, operation: StoredOperation): void {
  if (operation.status === "running") end(account, operation, "stopped");
  else if (operation.status !== "stopped") throw cannotBeStopped(operation.status);
}

function act(account: Account, { action, id: operationId }: StoredOperation, id: string): keyof LeftAlone | undefined {
  const schedule = account.schedules.get(id);
  if (!schedule) return "not_found";
  const { status } = schedule;
  if (action === "cancel") {
    if (status !== "scheduled" && status !== "failed") return status;
    return void cancel(account, schedule);
  }
  if (schedule.isErased) return "erased";
  try {
    return void store(account, { ...repeatOf(account, schedule, {}), operationId });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.code === "CONFLICT" ? "expired" : "over_quota";
  }
}

function end(account: Account, operation: StoredOperation, status: Operation["status"]): void {
  Object.assign(operation, { status, members: [], endedMs: account.nowMs, updatedMs: account.nowMs });
}

function checkCount({ operations, nowMs, limits }: Account): void {
  const all = [...operations.values()];
  if (all.filter(({ status }) => status === "running").length >= OPERATIONS_RUNNING_MAX) throw tooManyRunning();
  const today = all.filter(({ createdMs }) => createdMs > nowMs - DAY_MS);
  const oldest = today.at(-limits.operationsPerDay);
  if (!oldest || today.length < limits.operationsPerDay) return;
  throw tooManyToday(limits, Math.max(1, Math.ceil((oldest.createdMs + DAY_MS - nowMs) / 1_000)));
}

function operationFilter(search: Search): OperationFilter {
  const { status, q, from, to } = search;
  return {
    statuses: status ? [...new Set(status)] : null,
    q: q === undefined ? null : { text: q, scheduleId: decodeId("sch", q) },
    fromMs: from?.getTime() ?? null,
    toMs: to?.getTime() ?? null,
    ...filtersOf(search),
  };
}

function presentFilter(search: Search): NonNullable<Operation["filter"]> {
  const { status, q, from, to } = search;
  return {
    status: status ? [...new Set(status)] : null,
    q: q ?? null,
    from: from?.toISOString() ?? null,
    to: to?.toISOString() ?? null,
    ...writeFilters(filtersOf(search), null),
  };
}
