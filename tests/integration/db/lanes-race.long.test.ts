// Guards: db/queries/schedules/**, db/functions/**, db/migrations/**, db/queries/attempts/record.ts
// Final: its verdict is about which schedules are found when they fall due.
import { sql as fragment } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { processEnv } from "#config.ts";
import { type AttemptRecord, recordAttempts } from "#db/queries/attempts/record.ts";
import { cancelOpenSchedule } from "#db/queries/schedules/cancel.ts";
import type { ClaimedSchedule } from "#db/queries/schedules/claim.ts";
import { createSchedule } from "#db/queries/schedules/create.ts";
import { createSchedules } from "#db/queries/schedules/create-bulk.ts";
import { auditLanes, type LaneId, raiseLanes } from "#db/queries/schedules/due-lanes.ts";
import { makeDue } from "#db/queries/schedules/fire.ts";
import { releaseSchedules } from "#db/queries/schedules/release.ts";
import { updateScheduled } from "#db/queries/schedules/reschedule.ts";
import { createRandom } from "#tests/helpers/random.ts";
import { lanesTooLate } from "../../helpers/lanes.ts";
import {
  createLaneHarness,
  interrupted,
  type LaneHarness,
  LIMITS,
  newSchedule,
  outcomeOf,
  rejected,
} from "./lane-harness.ts";

/**
 * Duration in seconds and seed of the random numbers. LANES_RACE_S sets a longer run, LANES_RACE_SEED repeats the same
 * steps.
 */
const SECONDS = Number(processEnv().LANES_RACE_S || 12);
const SEED = Number(processEnv().LANES_RACE_SEED || Date.now() % 1_000_000);
const PHASE_MS = 2_000;
const SESSIONS = 12;

type Random = ReturnType<typeof createRandom>;

let harness: LaneHarness;
let lanes: LaneId[];
/** Claims that no session has ended yet, and attempts that were recorded as interrupted. */
const [claims, lost]: [ClaimedSchedule[], ClaimedSchedule[]] = [[], []];

beforeAll(async () => {
  harness = await createLaneHarness({ sessions: SESSIONS });
  const accounts = await Promise.all([harness.account(), harness.account(), harness.account()]);
  lanes = accounts.flatMap((accountId) => (["live", "test"] as const).map((name) => ({ accountId, env: name })));
  // Lets others run between the moment at which an entry is computed and the one at which it is written.
  await harness.web`
    CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF random() < 0.3 THEN PERFORM pg_sleep(random() * 0.004); END IF;
      RETURN NEW;
    END $$`.simple();
  await harness.web`
    CREATE TRIGGER dawdle BEFORE INSERT OR UPDATE ON lanes FOR EACH ROW EXECUTE FUNCTION dawdle()`.simple();
});
afterAll(() => harness.close());

/** An instant to be due at: now, soon, or in about an hour. */
function instant(random: Random): number | null {
  if (random.chance(0.3)) return null;
  return Math.ceil(Date.now() + (random.chance(0.3) ? random.between(50, 400) : random.between(3_500_000, 3_700_000)));
}
const later = (random: Random) => instant(random) ?? Date.now() + 100;
const pause = (random: Random) => (random.chance(0.5) ? random.between(0, 6) : 0);

function takeFrom(list: ClaimedSchedule[], random: Random, most: number): ClaimedSchedule[] {
  const taken: ClaimedSchedule[] = [];
  while (taken.length < most && list.length > 0) {
    taken.push(...list.splice(Math.floor(random.next() * list.length), 1));
  }
  return taken;
}

async function openIds(lane: LaneId, most: number): Promise<string[]> {
  const rows = await harness.web`
    SELECT id FROM schedules WHERE account_id = ${lane.accountId} AND env = ${lane.env}
      AND status IN ('scheduled', 'failed') ORDER BY random() LIMIT ${most}`;
  return rows.map((row) => row.id);
}

/** The actions of a session. Each calls the real function. A transaction around it delays its commit. */
const STEPS = {
  async create(random: Random, lane: LaneId) {
    await harness.web.begin(async (tx) => {
      await createSchedule(tx as never, lane, LIMITS, newSchedule(instant(random)));
      await tx`SELECT pg_sleep(${pause(random)}::float8 / 1000)`;
    });
  },
  async createMany(random: Random, lane: LaneId) {
    const wanted = Array.from({ length: 2 + Math.floor(random.next() * 3) }, () => newSchedule(instant(random)));
    await createSchedules(harness.web, lane, LIMITS, wanted, () => {});
  },
  async move(random: Random, lane: LaneId) {
    const [id] = await openIds(lane, 1);
    if (!id) return;
    await harness.db.transaction(async (tx) => {
      await updateScheduled(tx, lane, id, {
        fireTime: { atMs: later(random) },
        earlyFire: random.chance(0.3) || undefined,
      });
      await tx.execute(fragment`SELECT pg_sleep(${pause(random)}::float8 / 1000)`);
    });
  },
  async fire(random: Random, lane: LaneId) {
    const [id] = await openIds(lane, 1);
    if (!id) return;
    await harness.db.transaction(async (tx) => {
      await makeDue(tx, lane, id);
      await tx.execute(fragment`SELECT pg_sleep(${pause(random)}::float8 / 1000)`);
    });
  },
  async cancel(_: Random, lane: LaneId) {
    const [id] = await openIds(lane, 1);
    if (id) await cancelOpenSchedule(harness.db, lane, id);
  },
  async claim(random: Random, lane: LaneId) {
    const ids = await openIds(lane, 3);
    if (ids.length > 0) claims.push(...(await harness.claim(ids, random.chance(0.3) ? 500 : 0)));
  },
  async succeed(random: Random) {
    await record(takeFrom(claims, random, 3).map((claim) => outcomeOf(claim)));
  },
  async retry(random: Random) {
    await record(takeFrom(claims, random, 3).map((claim) => outcomeOf(claim, rejected(later(random)))));
  },
  async recover(random: Random) {
    const taken = takeFrom(claims, random, 3);
    const next = () =>
      random.chance(0.5)
        ? interrupted({ status: "dead", nextAttemptAtMs: null })
        : interrupted({ status: "failed", nextAttemptAtMs: later(random) });
    await record(taken.map((claim) => outcomeOf(claim, next())));
    lost.push(...taken);
  },
  async outcomeOfLost(random: Random) {
    await record(takeFrom(lost, random, 4).map((claim) => outcomeOf(claim, rejected(later(random)))));
  },
  async release(random: Random) {
    await release(takeFrom(claims, random, 3));
  },
  async deactivate(random: Random, { accountId }: LaneId) {
    await setStatus(random, accountId, "deactivated");
  },
  async activate(random: Random, { accountId }: LaneId) {
    await setStatus(random, accountId, "active");
  },
  async raise(random: Random) {
    const wanted = lanes.filter(() => random.chance(0.6));
    await harness.dispatcher.begin(async (tx) => {
      raised += (await raiseLanes(tx as never, wanted)).length;
      await tx`SELECT pg_sleep(${pause(random)}::float8 / 1000)`;
    });
  },
  async check() {
    await expectNoneTooLate();
  },
  // The audit repairs what it finds, so it must find nothing.
  async audit() {
    expect(await auditLanes(harness.dispatcher, null, 100), `seed ${SEED}`).toEqual({
      missing: 0,
      late: 0,
      next: null,
    });
  },
};

const WEIGHTS: Record<keyof typeof STEPS, number> = {
  create: 10,
  createMany: 3,
  move: 12,
  fire: 8,
  cancel: 14,
  claim: 12,
  succeed: 5,
  retry: 6,
  recover: 6,
  outcomeOfLost: 6,
  release: 6,
  deactivate: 1,
  activate: 4,
  raise: 20,
  check: 8,
  audit: 2,
};

let raised = 0;

async function record(records: AttemptRecord[]) {
  if (records.length > 0) await recordAttempts(harness.dispatcher, records);
}

/** Releases claims. Those whose row another session has locked are left for a later release, as a dispatcher does. */
async function release(taken: ClaimedSchedule[]) {
  const { locked } = await releaseSchedules(harness.dispatcher, harness.dispatcherId, taken);
  claims.push(...taken.filter(({ id }) => locked.includes(id)));
}

async function setStatus(random: Random, accountId: string, status: string) {
  await harness.web.begin(async (tx) => {
    await tx`UPDATE accounts SET status = ${status} WHERE id = ${accountId}`;
    await tx`SELECT pg_sleep(${pause(random)}::float8 / 1000)`;
  });
}

async function expectNoneTooLate() {
  expect(await lanesTooLate(harness.web), `seed ${SEED}`).toEqual([]);
}

async function act(random: Random, endMs: number): Promise<number> {
  let steps = 0;
  for (; performance.now() < endMs; steps++) {
    await STEPS[random.weighted(WEIGHTS)](random, random.pick(lanes));
  }
  return steps;
}

it(
  "no calendar entry is ever later than the lane's oldest open schedule, and no call deadlocks, under any concurrent writes",
  async () => {
    const randoms = Array.from({ length: SESSIONS }, (_, n) => createRandom(SEED * SESSIONS + n));
    let steps = 0;
    for (let phase = 0; phase < (SECONDS * 1_000) / PHASE_MS; phase++) {
      const endMs = performance.now() + PHASE_MS;
      const done = await Promise.all(randoms.map((random) => act(random, endMs)));
      steps += done.reduce((sum, n) => sum + n, 0);
      await expectNoneTooLate();

      // After the writes every lane can be raised to its exact entry. No entry stays too early.
      await release(claims.splice(0));
      expect(claims, `seed ${SEED}`).toEqual([]);
      await expectNoneTooLate();
      expect(await raiseLanes(harness.dispatcher, lanes)).toHaveLength((await harness.web`SELECT FROM lanes`).length);
      const [idle] = await harness.web`
        SELECT count(*)::int AS n FROM lanes l JOIN accounts a ON a.id = l.account_id WHERE l.due_at IS DISTINCT FROM
          CASE WHEN a.status = 'active' THEN (SELECT min(s.next_attempt_at) FROM schedules s
            WHERE s.account_id = l.account_id AND s.env = l.env AND s.status IN ('scheduled', 'failed')) END`;
      expect(idle?.n, `seed ${SEED}`).toBe(0);
    }
    const [server] = await harness.web`SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()`;
    expect(server?.deadlocks, `seed ${SEED}`).toBe(0);
    expect(steps).toBeGreaterThan(20 * SECONDS);
    expect(raised).toBeGreaterThan(SECONDS);
  },
  SECONDS * 2_000 + 30_000,
);
