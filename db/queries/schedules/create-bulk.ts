import type { TransactionSql } from "postgres";
import { formatInstant } from "#domain/instant.ts";
import type { ScheduleStatus } from "#domain/states.ts";
import { NOTIFY_HORIZON_MS } from "#domain/timing.ts";
import type { Sql } from "../../client.ts";
import { pgArray, pgTextArray } from "../../pg-array.ts";
import type { Tenant } from "../accounts/tenant.ts";
import { type CreationLimits, deliveryText, type NewSchedule } from "./create.ts";

/** The result for one of many schedules. Results have the order of the schedules. */
export type BulkCreation =
  | {
      outcome: "created" | "replayed";
      id: string;
      fireAtMs: number;
      status: ScheduleStatus;
      /** The idempotency key is known, and its request was another one. */
      mismatch: boolean;
    }
  | { outcome: "past" | "expired" | "rejected" | "quota" };

/**
 * Creates many schedules of one account by the same checks as `createSchedule`: in one statement, or in one transaction
 * of several statements with about 4 MiB each. `onProgress` is called after each of these. No two schedules may have
 * the same idempotency key. Creates nothing when the account is inactive or the cached credential is stale.
 */
export async function createSchedules(
  sql: Sql,
  tenant: Tenant,
  limits: CreationLimits,
  schedules: readonly NewSchedule[],
  onProgress: () => void,
): Promise<BulkCreation[] | "inactive" | "stale"> {
  const [first = [], ...others] = slices(schedules);
  const store = async (runner: Runner) => {
    const creations = await insert(runner, tenant, limits, {
      schedules: first,
      stored: [],
      isLast: others.length === 0,
    });
    if (typeof creations === "string") return creations;
    for (const [n, slice] of others.entries()) {
      onProgress();
      const isLast = n === others.length - 1;
      const stored = isLast ? creations.flatMap((one) => (one.outcome === "created" ? [one.id] : [])) : [];
      // The first slice has locked the account and checked the cached credential.
      const uncached = { ...limits, cached: undefined };
      const more = await insert(runner, tenant, uncached, { schedules: slice, stored, isLast });
      if (typeof more === "string") throw new Error(`an account became ${more} while its row was locked`);
      creations.push(...more);
    }
    return creations;
  };
  return withRetries(() => (others.length === 0 ? store(sql) : sql.begin(store)));
}

/** What a schedule is an occurrence of (UUID), and its instant there, epoch ms. */
export type OccurrenceOf = { recurrenceId: string; atMs: number };

/**
 * As `createSchedules`, as one statement of a larger transaction: the copies that an operation (UUID) makes, or
 * occurrences, one for each schedule. The caller bounds the bytes, and repeats the whole transaction when this throws.
 */
export function createSchedulesWithin(
  tx: Sql,
  tenant: Tenant,
  limits: CreationLimits,
  made: { schedules: readonly NewSchedule[]; operationId?: string; occurrences?: readonly OccurrenceOf[] },
): Promise<BulkCreation[] | "inactive" | "stale"> {
  return insert(tx, tenant, limits, { ...made, stored: [], isLast: true });
}

const SLICE_BYTES = 4 * 1024 * 1024;

/** Cuts the schedules, in their order, into slices whose ciphertexts fit into one statement. */
function slices(schedules: readonly NewSchedule[]): NewSchedule[][] {
  const cut: NewSchedule[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const schedule of schedules) {
    bytes += schedule.sealed?.length ?? 0;
    if (bytes > SLICE_BYTES) {
      cut.push([]);
      bytes = schedule.sealed?.length ?? 0;
    }
    cut.at(-1)?.push(schedule);
  }
  return cut;
}

type Runner = Sql | TransactionSql;

/**
 * The part of one statement. The last statement also notifies the dispatchers of what the others created (`stored`,
 * UUIDs).
 */
type Slice = {
  schedules: readonly NewSchedule[];
  stored: readonly string[];
  isLast: boolean;
  operationId?: string;
  occurrences?: readonly OccurrenceOf[];
};

async function insert(
  sql: Runner,
  tenant: Tenant,
  limits: CreationLimits,
  slice: Slice,
): Promise<BulkCreation[] | "inactive" | "stale"> {
  const { schedules } = slice;
  const rows = await callFunction(sql, tenant, limits, slice);
  const refusal = rows.find((row) => row.n === 0)?.outcome;
  if (refusal) return refusal;
  if (rows.length !== schedules.length) throw new Error("create_schedules did not return a row for each");
  const replayed = rows.flatMap((row) =>
    row.outcome === "replayed" ? [{ id: row.id as string, schedule: schedules[row.n - 1] as NewSchedule }] : [],
  );
  const mismatched = await findMismatched(sql, replayed);
  const creations: BulkCreation[] = [];
  for (const { n, outcome, id, status, fire_at_ms } of rows) {
    creations[n - 1] =
      outcome === "created" || outcome === "replayed"
        ? { outcome, id, fireAtMs: Math.round(fire_at_ms), status, mismatch: mismatched.has(id) }
        : { outcome };
  }
  return creations;
}

// In a statement of its own: the function's snapshot may be older than the commit of the schedules that it found.
async function findMismatched(sql: Runner, replayed: { id: string; schedule: NewSchedule }[]): Promise<Set<string>> {
  if (replayed.length === 0) return new Set();
  const rows = await sql<{ id: string }[]>`
    SELECT i.id FROM unnest(
      ${pgArray(replayed.map(({ id }) => id))}::text::uuid[],
      ${pgTextArray(replayed.map(({ schedule }) => schedule.requestHash.toString("base64")))}::text::text[])
      AS i(id, hash)
    CROSS JOIN LATERAL (SELECT request_hash FROM schedule_requests WHERE schedule_id = i.id LIMIT 1) r
    WHERE r.request_hash <> decode(i.hash, 'base64')`;
  return new Set(rows.map(({ id }) => id));
}

function callFunction(sql: Runner, tenant: Tenant, limits: CreationLimits, slice: Slice) {
  const { schedules, stored, isLast, operationId = null, occurrences } = slice;
  const { cached } = limits;
  const numbers = (of: (one: NewSchedule) => number) => pgArray(schedules.map(of));
  const words = (of: (one: NewSchedule) => string | null) => pgArray(schedules.map(of));
  const texts = (of: (one: NewSchedule) => string | null) => pgTextArray(schedules.map(of));
  const hasOptions = schedules.some(({ delivery }) => delivery !== null);
  const areAllCounted = schedules.every(({ isUncounted = false }) => !isUncounted);
  const contents = Buffer.concat(schedules.flatMap(({ sealed }) => sealed ?? []));
  return sql`
    SELECT n, outcome, id, status, extract(epoch FROM fire_at)::float8 * 1000 AS fire_at_ms
    FROM create_schedules(
      ${tenant.accountId}::uuid, ${tenant.env}, ${cached?.keyId ?? null}::uuid, ${cached?.plan ?? null}::text,
      ${limits.earlyFire}::boolean, ${limits.graceLimit}::integer, ${NOTIFY_HORIZON_MS},
      ${words((one) => one.id)}::text::uuid[],
      ${words(({ fireTime }) => ("atMs" in fireTime ? formatInstant(fireTime.atMs) : null))}::text::timestamptz[],
      ${words(({ fireTime }) => ("inMs" in fireTime ? String(fireTime.inMs) : null))}::text::bigint[],
      ${words((one) => (one.earlyFire === null ? null : String(one.earlyFire)))}::text::boolean[],
      ${texts((one) => one.targetUrl)}::text::text[],
      ${texts((one) => one.origin)}::text::text[],
      ${words((one) => one.method)}::text::text[],
      decode(${contents.toString("base64")}::text, 'base64'),
      ${numbers((one) => one.sealed?.length ?? 0)}::text::integer[],
      ${numbers((one) => one.payloadSizeBytes)}::text::integer[],
      ${texts((one) => one.idempotencyKey)}::text::text[],
      ${texts((one) => one.requestHash.toString("base64"))}::text::text[],
      ${words((one) => one.replayOf)}::text::uuid[],
      ${words((one) => String(one.rejection !== null))}::text::boolean[],
      ${pgArray(stored)}::text::uuid[], ${isLast}, ${operationId}::uuid,
      ${limits.createdBy ?? null}::uuid,
      ${hasOptions ? texts(({ delivery }) => deliveryText(delivery)) : null}::text::jsonb[],
      ${occurrences ? pgArray(occurrences.map((one) => one.recurrenceId)) : null}::text::uuid[],
      ${occurrences ? pgArray(occurrences.map(({ atMs }) => formatInstant(atMs))) : null}::text::timestamptz[],
      ${areAllCounted ? null : words(({ isUncounted = false }) => String(!isUncounted))}::text::boolean[])`;
}

const TRIES_MAX = 3;
/** The pause before the next try, ms, and as much again for each further one. It is spread. */
const PAUSE_MS = 40;
const UNIQUE_VIOLATION = "23505";
const DEADLOCK = "40P01";

// When the month changes, two transactions may create the same key without waiting for the same row of `usage`. The other one needs a
// while to take the lock that a deadlock has freed: a try at once may take it first, and be in the same deadlock again.
async function withRetries<T>(work: () => PromiseLike<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const { code } = error as { code?: string };
      if (tries === TRIES_MAX || (code !== UNIQUE_VIOLATION && code !== DEADLOCK)) throw error;
      const pauseMs = PAUSE_MS * tries * (0.5 + Math.random());
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
