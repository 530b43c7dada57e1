// Guards: dispatcher/rates/**, dispatcher/shards.ts, dispatcher/lifecycle.ts
// Final: its verdict is about how many requests were sent in a second.
import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Receiver } from "#scripts/lab/receiver.ts";
import type { DispatchHarness } from "../../helpers/dispatch-harness.ts";
import { mostInOneSecond, noteFirstBytes } from "../../helpers/first-bytes.ts";
import { enterLanes } from "../../helpers/lanes.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withDispatchHarness } from "../../helpers/with-dispatch-harness.ts";

const CPS = 20;
/** Enough that each change of owner moves some of them. */
const LANES = 8;
/** More than a lane may send during the whole test. */
const EACH = 2_400;
/** How long a process is blocked between its last check and its write. */
const HELD_UP_MS = 40;
/** A lane has filled its second when it has sent this many requests under its new owner. */
const ENOUGH = 2 * CPS;
const LANE_AWAY_MAX_MS = 30_000;

let receiver: Receiver;
let harness: DispatchHarness;
let firstBytes: Awaited<ReturnType<typeof noteFirstBytes>>;

withDispatchHarness({ isPerTest: true }, (made) => {
  ({ receiver, harness } = made);
});
beforeEach(async () => {
  firstBytes = await noteFirstBytes();
});
afterEach(() => firstBytes.remove());

/** A lane with far more overdue schedules than it may send. Its path contains its name. */
async function overloadedLane(): Promise<string> {
  const { id } = await harness.account({ settings: { cps_limit: CPS } });
  await harness.sql`
    WITH made AS (
      INSERT INTO schedules (id, account_id, env, shard, early_fire, fire_at, next_attempt_at, payload_size_bytes, sealed_bytes, origin)
      SELECT gen_random_uuid(), a.id, 'live', a.shard, false, at, at, 0, 0, ${receiver.origin}
      FROM accounts a, generate_series(1, ${EACH}) n, date_trunc('milliseconds', now() - n * interval '600 s' / ${EACH}) at
      WHERE a.id = ${id} RETURNING id)
    INSERT INTO schedule_requests (schedule_id, account_id, env, target_url, method, request_hash)
    SELECT id, ${id}, 'live', ${`${receiver.origin}/${id}`}, 'POST', '\\x00' FROM made`;
  await enterLanes(harness.sql);
  return `/${id}`;
}

const startProcess = () => harness.spawn(firstBytes.options);

const ownedBy = async ({ pid }: ChildProcess) => {
  const [row] = await harness.sql`
    SELECT count(*)::int AS n FROM shards s JOIN dispatchers d ON d.id = s.owner WHERE d.pid = ${pid as number}`;
  return row?.n as number;
};
const untilOwns = (child: ChildProcess, shards: number) =>
  waitFor(`${child.pid} owns ${shards} shards`, async () => (await ownedBy(child)) === shards, LANE_AWAY_MAX_MS);

/** Whether the process is stopped by a signal. */
async function isStopped({ pid }: ChildProcess): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).startsWith("T");
}

/** Waits until every lane has been overloaded for more than a second under its current owner. */
async function untilLanesAreFull(lanes: string[], owners: ChildProcess[]): Promise<void> {
  const before = (await firstBytes.read()).length;
  const pids = new Set(owners.map(({ pid }) => pid));
  await waitFor(
    "every lane is full",
    async () => {
      const since = (await firstBytes.read()).slice(before).filter(({ pid }) => pids.has(pid));
      return lanes.every((lane) => since.filter(({ path }) => path === lane).length >= ENOUGH);
    },
    LANE_AWAY_MAX_MS,
  );
}

/** The process that sends `lane` now, and the other one. */
async function ownerOf(lane: string, of: [ChildProcess, ChildProcess]): Promise<[ChildProcess, ChildProcess]> {
  const last = (await firstBytes.read()).findLast(({ path }) => path === lane);
  return last?.pid === of[0].pid ? of : [of[1], of[0]];
}

describe("an account's rate", () => {
  it("holds for the first bytes that all its senders write, within any second, over handover, takeover and a paused owner", async () => {
    const lanes = await Promise.all(Array.from({ length: LANES }, overloadedLane));
    const [lane] = lanes as [string];
    /** Starts a second process beside `first`. Waits until they have divided the shards and every lane is full. */
    const share = async (first: ChildProcess) => {
      const second = startProcess();
      await Promise.all([untilOwns(first, 32), untilOwns(second, 32)]);
      await untilLanesAreFull(lanes, [first, second]);
      return ownerOf(lane, [first, second]);
    };
    const first = startProcess();
    await untilOwns(first, 64);
    await untilLanesAreFull(lanes, [first]);

    const [leaving, second] = await share(first);
    leaving.kill("SIGTERM");
    await untilLanesAreFull(lanes, [second]);

    const [killed, third] = await share(second);
    killed.kill("SIGKILL");
    await untilLanesAreFull(lanes, [third]);

    const [paused, fourth] = await share(third);
    // It stops where it writes no request: one that it has just checked leaves when it goes on.
    paused.kill("SIGUSR2");
    await waitFor("it has stopped itself", () => isStopped(paused));
    await untilOwns(fourth, 64);
    await untilLanesAreFull(lanes, [fourth]);
    paused.kill("SIGCONT");
    await untilOwns(paused, 32);
    await untilLanesAreFull(lanes, [fourth, paused]);

    const sent = await firstBytes.read();
    const ofLane = (path: string) => sent.filter((one) => one.path === path);
    // At least three processes sent this lane: its owner was the one that was stopped, killed and paused each time.
    expect(new Set(ofLane(lane).map(({ pid }) => pid)).size).toBeGreaterThanOrEqual(3);
    for (const path of lanes) {
      expect(mostInOneSecond(ofLane(path).map(({ beganAtMs }) => beganAtMs))).toBeLessThanOrEqual(CPS);
    }
  });

  it("holds in a process that is blocked between its last check and its write", async () => {
    await firstBytes.remove();
    firstBytes = await noteFirstBytes({ holdUpMs: HELD_UP_MS });
    const lane = await overloadedLane();
    await untilOwns(startProcess(), 64);
    await waitFor("it has sent for some seconds", async () => (await firstBytes.read()).length >= 5 * CPS);
    const sent = await firstBytes.read();
    expect(mostInOneSecond(sent.map(({ beganAtMs }) => beganAtMs))).toBeLessThanOrEqual(CPS);
    expect(new Set(sent.map(({ path }) => path))).toEqual(new Set([lane]));
  });
});
