import { describe, expect, it } from "vitest";
import { type Database, DatabaseUnavailable } from "#db/client.ts";
import { UrgentReads } from "#dispatcher/intake/urgent-reads.ts";
import { WantedReads } from "#dispatcher/intake/wanted-reads.ts";

/** A reader whose database is away for the calls that `isAway` picks, and returns no rows for the others. */
function start(isAway: (call: number) => boolean) {
  let calls = 0;
  const wanted = new WantedReads();
  const database = {
    async run() {
      if (isAway(calls++)) throw new DatabaseUnavailable(new Error("away"));
      return [];
    },
    async close() {},
  } as unknown as Database;
  const clock = { now: () => 1_000, isSet: () => true };
  return {
    wanted,
    calls: () => calls,
    reads: new UrgentReads({ wanted, database, clock, intake: { acceptNamed() {} } }),
  };
}

describe("a schedule that is read by its id", () => {
  it("stays requested when the read fails", async () => {
    const { wanted, reads } = start((call) => call === 0);
    wanted.add(["s1", "s2"]);
    await expect(reads.runOnce()).rejects.toThrow(DatabaseUnavailable);
    expect(wanted.take(10)).toEqual(["s1", "s2"]);
  });

  it("is read once when the database answers", async () => {
    const { wanted, reads, calls } = start(() => false);
    wanted.add(["s1"]);
    await reads.runOnce();
    expect(wanted.size).toBe(0);
    await reads.runOnce();
    expect(calls()).toBe(1);
  });
});
