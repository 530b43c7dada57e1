import type { LeftAlone, Operation, StartedOperation } from "../types.ts";
import { type Account, DAY_MS, type StoredOperation } from "./account.ts";
import { store } from "./create.ts";
import {
  type Fields,
  idempotencyKey,
  isObject,
  listOf,
  objectOf,
  oneOf,
  optional,
  parsed,
  readFields,
} from "./fields.ts";
import { isId } from "./ids.ts";
import { type Search, searchSchedules } from "./lists.ts";
import { cancel } from "./move.ts";
import { iso, presentOperation } from "./present.ts";
import { SET_FIELDS } from "./read-query.ts";
import { Refusal } from "./refusal.ts";
import { repeatOf } from "./repeat.ts";

type OperationBody = {
  action: Operation["action"];
  filter?: Search | undefined;
  schedules?: string[] | undefined;
  all?: true | undefined;
  idempotencyKey?: string | undefined;
};

const FIELDS: Fields<OperationBody> = {
  action: oneOf("cancel", "replay"),
  filter: optional((value, report) => {
    if (isObject(value) && !Object.keys(value).length)
      return void report("must have at least one field; for all schedules give all: true");
    return objectOf(SET_FIELDS)(value, report);
  }),
  schedules: optional(
    listOf(
      parsed((text) => (isId("sch", text) ? text : null), "the id of a schedule"),
      1_000,
    ),
  ),
  all: optional((value, report) => value === true || void report("must be true")),
  idempotencyKey: optional(idempotencyKey),
};

/** What says which schedules. */
const SCOPES = ["filter", "schedules", "all"];

export function readOperationBody(body: unknown): OperationBody {
  return readFields(body, FIELDS, (given, add, isRead) => {
    const [first, second] = SCOPES.filter((name) => given[name] !== undefined);
    if (!isRead || (first && !second)) return;
    add(
      second ?? "schedules",
      first ? `must not be given together with ${first}` : "or filter is required, or all: true",
    );
  });
}

/** Accepts an operation, or finds the one that has its idempotency key. `runOperations` carries it out. */
export function startOperation(account: Account, body: OperationBody): StartedOperation {
  const { action, schedules, all, idempotencyKey: key } = body;
  const filter = all ? {} : body.filter;
  const sorted = (texts: readonly string[] | undefined) => texts && [...texts].sort();
  const { late, host, code, idempotency_key: keyOfOne, operation: madeBy } = filter ?? {};
  const narrower = [late?.text, host, code, keyOfOne, madeBy];
  const scope = filter && [sorted(filter.status), filter.q, filter.from, filter.to, ...narrower];
  const compared = JSON.stringify([action, scope, sorted(schedules && [...new Set(schedules)])]);
  const known = [...account.operations.values()].find((one) => key !== undefined && one.idempotencyKey === key);
  if (known) return { ...presentOperation(known), replayed: true, mismatch: known.compared !== compared };
  checkCount(account);
  const ids = filter ? searchSchedules(account, filter).map(({ id }) => id) : [...new Set(schedules)];
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
  else if (operation.status !== "stopped")
    throw new Refusal("CONFLICT", `An operation that is ${operation.status} cannot be stopped.`);
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
    if (!(error instanceof Refusal)) throw error;
    return "over_quota";
  }
}

function end(account: Account, operation: StoredOperation, status: Operation["status"]): void {
  Object.assign(operation, { status, members: [], endedMs: account.nowMs, updatedMs: account.nowMs });
}

function checkCount({ operations, nowMs, limits }: Account): void {
  const all = [...operations.values()];
  if (all.filter(({ status }) => status === "running").length >= 10)
    throw new Refusal("CONFLICT", "10 operations of this environment are running.");
  const today = all.filter(({ createdMs }) => createdMs > nowMs - DAY_MS);
  const oldest = today.at(-limits.operationsPerDay);
  if (!oldest || today.length < limits.operationsPerDay) return;
  const waitS = Math.max(1, Math.ceil((oldest.createdMs + DAY_MS - nowMs) / 1_000));
  throw new Refusal("RATE_LIMITED", `${limits.operationsPerDay} operations were started within 24 hours.`, {
    "Retry-After": `${waitS}`,
  });
}

function presentFilter(search: Search): NonNullable<Operation["filter"]> {
  const { status, q, from, to, late, host, code, idempotency_key: key, operation } = search;
  return {
    status: status ? [...new Set(status)] : null,
    q: q ?? null,
    from: from === undefined ? null : iso(from),
    to: to === undefined ? null : iso(to),
    ...{ late: late?.text ?? null, host: host ?? null, code: code ?? null },
    ...{ idempotency_key: key ?? null, operation: operation ?? null },
  };
}
