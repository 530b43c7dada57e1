import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sql } from "#db/client.ts";
import { type ClaimRequest, claimSchedules, claimSchedulesAgain } from "#db/queries/schedules/claim.ts";
import { createSchedule } from "#db/queries/schedules/create.ts";
import { releaseSchedules } from "#db/queries/schedules/release.ts";
import { newId } from "#domain/ids.ts";
import { pause } from "../../helpers/time.ts";
import { createLaneHarness, type LaneHarness, LIMITS, newSchedule } from "./lane-harness.ts";

let harness: LaneHarness;
let steps = 0;

beforeAll(async () => {
  harness = await createLaneHarness({ sessions: 3 });
});
afterAll(() => harness.close());

/** Schedules that are due now, in the order in which they were created, and a claim of them with its repeat. */
async function due(count: number) {
  const accountId = await harness.account();
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const made = newSchedule(null);
    await createSchedule(harness.web, { accountId, env: "live" }, LIMITS, made);
    ids.push(made.id);
  }
  const rows = await harness.web`SELECT id, version, shard FROM schedules WHERE id IN ${harness.web(ids)} ORDER BY id`;
  const wanted = rows.map(
    (row): ClaimRequest => ({ ...(row as ClaimRequest), version: Number(row.version), earlyMs: 0 }),
  );
  const step = ++steps;
  const { dispatcherId } = harness;
  const epochs = new Map(Array.from({ length: 64 }, (_, shard) => [shard, 1]));
  const on = (sql: unknown) => sql as Sql;
  return {
    ids: wanted.map(({ id }) => id),
    claim: (sql: postgres.ISql = harness.dispatcher) => claimSchedules(on(sql), dispatcherId, epochs, wanted, step),
    repeat: (own = epochs) => claimSchedulesAgain(on(harness.dispatcher), dispatcherId, own, wanted, step),
    versions: new Map(wanted.map(({ id, version }) => [id, version + step])),
    read: () =>
      harness.web<{ id: string; status: string; version: number; attempts: number; claimed_by: string | null }[]>`
        SELECT id, status, version::int, attempts, claimed_by FROM schedules WHERE id IN ${harness.web(ids)} ORDER BY id`,
  };
}

/** The rows of an answer that tell what was claimed, in the order of ids. */
const claimsOf = (rows: readonly { id: string; version: number; attempt: number }[]) =>
  rows.map(({ id, version, attempt }) => ({ id, version, attempt })).sort((a, b) => (a.id < b.id ? -1 : 1));

const cancel = (ids: readonly string[]) => harness.web`
  UPDATE schedules SET status = 'cancelled', version = version + 1, next_attempt_at = NULL, ended_at = now()
  WHERE id IN ${harness.web(ids)} AND status IN ('scheduled', 'failed') RETURNING id`;

describe("a claim that is repeated", () => {
  it("gives all that the first statement has claimed, as the first would have, and counts no attempt again", async () => {
    const { ids, claim, repeat, read, versions } = await due(5);
    const first = await claim();
    const { claimed, moved } = await repeat();
    expect(claimed.sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(first.sort((a, b) => (a.id < b.id ? -1 : 1)));
    expect(moved).toEqual([]);
    expect(await repeat().then((again) => claimsOf(again.claimed))).toEqual(claimsOf(first));
    expect(await read()).toEqual(
      ids.map((id) => expect.objectContaining({ id, status: "firing", version: versions.get(id), attempts: 1 })),
    );
  });

  it("claims what the first statement has not, and that one claims nothing when it comes later", async () => {
    const { ids, claim, repeat, read, versions } = await due(5);
    const { claimed } = await repeat();
    expect(claimsOf(claimed)).toEqual(ids.map((id) => ({ id, version: versions.get(id), attempt: 1 })));
    expect(await claim()).toEqual([]);
    expect((await read()).map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 1]);
  });

  it("has neither claimed nor moved what the first one holds locked, and gives it once that one has committed", async () => {
    const { ids, claim, repeat } = await due(5);
    await harness.dispatcher.begin(async (tx) => {
      expect(await claim(tx)).toHaveLength(ids.length);
      expect(await repeat()).toEqual({ claimed: [], moved: [] });
    });
    expect(claimsOf((await repeat()).claimed).map(({ id }) => id)).toEqual(ids);
  });

  it("names what was cancelled since, whichever statement would have claimed it, and the first one does not claim it either", async () => {
    const { ids, claim, repeat, read } = await due(4);
    const [cancelled, ...others] = ids as [string, ...string[]];
    await cancel([cancelled]);
    const { claimed, moved } = await repeat();
    expect([claimsOf(claimed).map(({ id }) => id), moved]).toEqual([others, [cancelled]]);
    expect(await claim()).toEqual([]);
    expect((await read())[0]).toMatchObject({ status: "cancelled", attempts: 0 });
  });

  it("gives nothing that was put back, or that another dispatcher has claimed", async () => {
    const { ids, claim, repeat, versions } = await due(3);
    await claim();
    const [back, others, mine] = ids as [string, string, string];
    const { dispatcherId } = harness;
    await releaseSchedules(harness.dispatcher, dispatcherId, [{ id: back, version: versions.get(back) as number }]);
    await harness.web`UPDATE schedules SET claimed_by = ${newId(0)} WHERE id = ${others}`;
    const { claimed, moved } = await repeat();
    expect([claimsOf(claimed).map(({ id }) => id), moved.sort()]).toEqual([[mine], [back, others].sort()]);
  });

  it("gives nothing of a shard that has another epoch by now, and says nothing of it", async () => {
    const { claim, repeat } = await due(3);
    await claim();
    expect(await repeat(new Map(Array.from({ length: 64 }, (_, shard) => [shard, 2])))).toEqual({
      claimed: [],
      moved: [],
    });
  });

  it("at the same time as the first one, and as cancels: each row is claimed by one of them or cancelled, and what is in no answer is not claimed", async () => {
    for (let round = 0; round < 40; round++) {
      const { ids, claim, repeat, read, versions } = await due(30);
      const soon = () => pause(Math.random() * 4);
      const [first, second, cancelled] = await Promise.all([
        soon().then(() => claim()),
        soon().then(() => repeat()),
        soon().then(() => cancel(ids.slice(10, 20))),
      ]);
      const answered = new Set([...first, ...second.claimed].map(({ id }) => id));
      const gone = new Set(cancelled.map(({ id }) => id as string));
      for (const row of await read()) {
        expect(answered.has(row.id)).toBe(row.status === "firing");
        expect(gone.has(row.id)).toBe(row.status === "cancelled");
        expect(row.attempts).toBe(row.status === "firing" ? 1 : 0);
        if (row.status === "firing")
          expect(row).toMatchObject({ version: versions.get(row.id), claimed_by: harness.dispatcherId });
      }
      expect(second.moved.filter((id) => answered.has(id))).toEqual([]);
    }
  });
});
