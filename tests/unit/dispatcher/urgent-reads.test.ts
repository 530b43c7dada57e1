import { describe, expect, it } from "vitest";
import { type Connection, DatabaseUnavailable } from "#db/client.ts";
import { UrgentReads } from "#dispatcher/intake/urgent-reads.ts";
import { WantedReads } from "#dispatcher/intake/wanted-reads.ts";

const LANES = ["a1", "a2", "a3"].map((accountId) => ({ key: `${accountId}:live`, accountId, env: "live" as const }));

/** A reader whose database is away for the calls that `isAway` names, and has nothing else to say. */
function start(isAway: (call: number) => boolean) {
  let calls = 0;
  const wanted = new WantedReads();
  const database = {
    async run() {
      if (isAway(calls++)) throw new DatabaseUnavailable(new Error("away"));
      return [];
    },
    async close() {},
  } as unknown as Connection;
  const clock = { now: () => 1_000, isSet: () => true };
  return { wanted, calls: () => calls, reads: new UrgentReads({ wanted, database, clock, intake: { accept() {} } }) };
}

describe("what is to be read soon", () => {
  it("is wanted again when a lane could not be read: that lane, and those behind it", async () => {
    const { wanted, reads } = start((call) => call === 1);
    for (const { key, ...lane } of LANES) wanted.addLane(key, lane);
    await expect(reads.runOnce()).rejects.toThrow(DatabaseUnavailable);
    expect(wanted.takeLanes(10).map(([key]) => key)).toEqual(["a2:live", "a3:live"]);
  });

  it("is wanted again when schedules could not be read", async () => {
    const { wanted, reads } = start((call) => call === 0);
    wanted.addSchedules(["s1", "s2"]);
    await expect(reads.runOnce()).rejects.toThrow(DatabaseUnavailable);
    expect(wanted.takeSchedules(10)).toEqual(["s1", "s2"]);
  });

  it("is read once when the database answers", async () => {
    const { wanted, reads, calls } = start(() => false);
    wanted.addSchedules(["s1"]);
    for (const { key, ...lane } of LANES) wanted.addLane(key, lane);
    await reads.runOnce();
    expect(wanted.isEmpty()).toBe(true);
    await reads.runOnce();
    expect(calls()).toBe(1 + LANES.length);
  });
});
