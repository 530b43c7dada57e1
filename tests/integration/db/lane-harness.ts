import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import type { Sql } from "#db/client.ts";
import type { AttemptRecord } from "#db/queries/attempts/record.ts";
import { claimSchedules } from "#db/queries/schedules/claim.ts";
import type { CreationLimits, NewSchedule } from "#db/queries/schedules/create.ts";
import type { LaneId } from "#db/queries/schedules/due-lanes.ts";
import * as schema from "#db/schema/index.ts";
import { SESSION } from "#dispatcher/databases.ts";
import { parseKeyRing } from "#domain/cipher.ts";
import { NOW } from "#domain/fire-time.ts";
import { newId } from "#domain/ids.ts";
import { createTestAccount } from "../../helpers/accounts.ts";
import { createTestDatabase } from "../../helpers/database.ts";
import { ENCRYPTION_KEYS } from "../../helpers/encryption-keys.ts";

export type LaneHarness = Awaited<ReturnType<typeof createLaneHarness>>;

const KEY_RING = parseKeyRing(ENCRYPTION_KEYS);
const EPOCH = 1;

export const LIMITS: CreationLimits = { limit: 1_000_000, graceLimit: 1_000_000, earlyFire: false };

/**
 * A database of its own in which one dispatcher owns all shards. `sessions` is the number of connections of each side.
 */
export async function createLaneHarness({ sessions = 2 }: { sessions?: number } = {}) {
  const database = await createTestDatabase();
  const open = (connection: Record<string, unknown>): Sql =>
    postgres(database.url, {
      max: sessions,
      fetch_types: false,
      onnotice: () => {},
      connection: connection as never,
    });
  /** One connection as web processes have, and one as dispatchers have. */
  const [web, dispatcher] = [open({}), open(SESSION)];
  const dispatcherId = newId(Date.now());
  await web`
    UPDATE shards SET owner = ${dispatcherId}, epoch = ${EPOCH}, lease_until = now() + interval '1 day'`;
  const epochs = new Map(Array.from({ length: 64 }, (_, shard) => [shard, EPOCH]));
  return {
    url: database.url,
    web,
    dispatcher,
    db: drizzle(web, { schema }),
    dispatcherId,
    account: async () => (await createTestAccount(web, KEY_RING)).id,
    /** The calendar entry of a lane: epoch ms, null when nothing waits, undefined when there is none. */
    async entry({ accountId, env }: LaneId): Promise<number | null | undefined> {
      const [row] = await web`
        SELECT extract(epoch FROM due_at)::float8 * 1000 AS ms FROM lanes WHERE account_id = ${accountId} AND env = ${env}`;
      return row?.ms;
    },
    /** Claims due schedules with whatever version they have. Returns the claims. */
    async claim(ids: readonly string[], earlyMs = 0) {
      const rows = await dispatcher`SELECT id, version, shard FROM schedules WHERE id IN ${dispatcher(ids)}`;
      const wanted = rows.map((row) => ({ id: row.id, version: Number(row.version), shard: row.shard, earlyMs }));
      return claimSchedules(dispatcher, dispatcherId, epochs, wanted, 1);
    },
    async close() {
      await Promise.all([web.end(), dispatcher.end()]);
      await database.drop();
    },
  };
}

/** What a caller asks for. A null instant means now. */
export const newSchedule = (fireAtMs: number | null, overrides: Partial<NewSchedule> = {}): NewSchedule => ({
  id: newId(Date.now()),
  fireTime: fireAtMs === null ? NOW : { atMs: fireAtMs },
  earlyFire: null,
  targetUrl: "https://example.com/",
  origin: "https://example.com",
  method: "POST",
  sealed: null,
  payloadSizeBytes: 0,
  idempotencyKey: null,
  requestHash: Buffer.alloc(0),
  replayOf: null,
  rejection: null,
  delivery: null,
  ...overrides,
});

/** The outcome of a claim; delivered by default. */
export const outcomeOf = (
  claim: { id: string; version: number; attempt: number; fireAtMs: number },
  overrides: Partial<AttemptRecord> = {},
): AttemptRecord => ({
  scheduleId: claim.id,
  version: claim.version,
  attempt: claim.attempt,
  outcome: "delivered",
  statusCode: 200,
  latencyMs: 1,
  errorText: "",
  attemptedAtMs: Math.max(Date.now(), claim.fireAtMs),
  timing: { lateMs: 0, claimMs: 1, waitMs: 0, connectMs: null, firstByteMs: 1 },
  via: null,
  status: "succeeded",
  nextAttemptAtMs: null,
  failures: 0,
  endReason: null,
  interruptions: 0,
  offsetBucket: 0,
  onTime: true,
  isPublic: true,
  ...overrides,
});

/** An attempt that was rejected and is retried at an instant (epoch ms). */
export const rejected = (nextAttemptAtMs: number): Partial<AttemptRecord> => ({
  outcome: "rejected",
  statusCode: 500,
  status: "failed",
  nextAttemptAtMs,
  failures: 1,
});

/** An attempt whose outcome is unknown. */
export const interrupted = (next: Pick<AttemptRecord, "status" | "nextAttemptAtMs">): Partial<AttemptRecord> => ({
  outcome: "interrupted",
  statusCode: null,
  interruptions: 1,
  ...next,
});
