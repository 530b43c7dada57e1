import type { Sql } from "#db/client.ts";
import { cancelMembers } from "#db/queries/operations/cancel-members.ts";
import { findMembers, type Member, type Scan } from "#db/queries/operations/members.ts";
import type { RunningOperation, Step } from "#db/queries/operations/steps.ts";
import type { NewSchedule } from "#db/queries/schedules/create.ts";
import { type BulkCreation, createSchedulesWithin } from "#db/queries/schedules/create-bulk.ts";
import { findStoredRequests } from "#db/queries/schedules/stored-request.ts";
import type { KeyRing } from "#domain/cipher.ts";
import { addLeftAlone, countReasons, type LeftAlone, type LeftAloneReason } from "#domain/operations.ts";
import type { Plans } from "#domain/plans.ts";
import { quotaOf } from "#domain/quota.ts";
import type { TargetPolicy } from "#domain/target-url.ts";
import { prepareCopy } from "./copies.ts";

/** The most schedules that a step scans. It cancels or copies fewer, so that it holds no lock for long. */
const SCANNED_MAX = 2_000;
const CANCELLED_MAX = 400;
const COPIED_MAX = 100;
/** Ciphertext of the copies of one step; a larger one is copied alone. */
const COPIED_BYTES_MAX = 512 * 1024;

export type StepRules = { keyRing: KeyRing; targetPolicy: TargetPolicy; plans: Plans };

/**
 * Acts on the next schedules of an operation, within the transaction `tx`. Null, with nothing changed, when the account's
 * plan or status changed meanwhile.
 */
export async function runStep(tx: Sql, operation: RunningOperation, rules: StepRules): Promise<Step | null> {
  const scan = await findMembers(tx, operation, SCANNED_MAX);
  const { processed, ...progress } = cut(scan, operation.action === "cancel" ? CANCEL_BOUNDS : COPY_BOUNDS);
  const moved = processed.filter(({ isRescheduled }) => isRescheduled);
  const others = processed.filter(({ isRescheduled }) => !isRescheduled);
  const result =
    operation.action === "cancel" ? await cancel(tx, operation, others) : await copy(tx, operation, others, rules);
  if (result === null) return null;
  const leftAlone = addLeftAlone(result.leftAlone, countReasons(moved.map(() => "rescheduled")));
  return { ...progress, acted: result.acted, leftAlone };
}

type Bounds = { membersMax: number; bytesMax: number; costs: (member: Member) => boolean };

const isOpen = ({ status }: Member) => status === "scheduled" || status === "failed";
const CANCEL_BOUNDS: Bounds = { membersMax: CANCELLED_MAX, bytesMax: Number.POSITIVE_INFINITY, costs: isOpen };
const COPY_BOUNDS: Bounds = { membersMax: COPIED_MAX, bytesMax: COPIED_BYTES_MAX, costs: () => true };

/** Cuts the scan to the members that this step processes, at least one, and returns the progress after them. */
function cut({ members, ...whole }: Scan, { membersMax, bytesMax, costs }: Bounds) {
  let count = 0;
  let bytes = 0;
  const end = members.findIndex((member) => {
    if (!costs(member)) return false;
    count++;
    bytes += member.sealedBytes;
    return count > 1 && (count > membersMax || bytes > bytesMax);
  });
  const last = members[end - 1];
  if (end === -1 || last === undefined) return { processed: members, ...whole };
  return { processed: members.slice(0, end), place: last.place, scanned: last.scanned, isEnd: false };
}

type Result = { acted: number; leftAlone: LeftAlone };

async function cancel(tx: Sql, operation: RunningOperation, members: readonly Member[]): Promise<Result> {
  const closed = members
    .filter((member) => !isOpen(member))
    .map(({ status }) => (status ?? "not_found") as LeftAloneReason);
  const { cancelled, leftAlone } = await cancelMembers(
    tx,
    operation,
    members.filter(isOpen).map(({ id }) => id),
  );
  return { acted: cancelled, leftAlone: addLeftAlone(countReasons(closed), leftAlone) };
}

async function copy(
  tx: Sql,
  operation: RunningOperation,
  members: readonly Member[],
  { keyRing, targetPolicy, plans }: StepRules,
): Promise<Result | null> {
  const limits = plans[operation.plan];
  const stored = await findStoredRequests(
    tx,
    operation,
    members.map(({ id }) => id),
  );
  const copyRules = { keyRing, targetPolicy, payloadBytesMax: limits.payloadBytesMax };
  const prepared = members.map(({ id }) => prepareCopy(copyRules, operation, id, stored.get(id)));
  const copies = prepared.filter((one): one is NewSchedule => typeof one !== "string");
  const refused = prepared.filter((one): one is LeftAloneReason => typeof one === "string");
  const creations = await createSchedulesWithin(tx, operation, creationLimits(operation, plans), {
    operationId: operation.id,
    schedules: copies,
  });
  if (typeof creations === "string") return null;
  const notMade = creations.flatMap(({ outcome }) => NOT_MADE[outcome] ?? []);
  return { acted: creations.length - notMade.length, leftAlone: countReasons([...refused, ...notMade]) };
}

/** Why a copy was not made, by the outcome of its creation. */
const NOT_MADE: { [outcome in BulkCreation["outcome"]]?: LeftAloneReason } = {
  quota: "over_quota",
  expired: "expired",
};

function creationLimits({ plan, env }: RunningOperation, plans: Plans) {
  const { limit, graceLimit } = quotaOf(plans[plan], env);
  return { limit, graceLimit, earlyFire: plans[plan].earlyFire, cached: { keyId: null, plan } };
}
