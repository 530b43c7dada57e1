import { describe, expect, it } from "vitest";
import { type Database, DatabaseUnavailable } from "#db/client.ts";
import { IdsToRead } from "#dispatcher/intake/ids-to-read.ts";
import { UrgentReads } from "#dispatcher/intake/urgent-reads.ts";

/** A reader whose database is away for the calls that `isAway` picks, and returns no rows for the others. */
function start(isAway: (call: number) => boolean) {
  let calls = 0;
  const idsToRead = new IdsToRead();
  const database = {
    async run() {
      if (isAway(calls++)) throw new DatabaseUnavailable(new Error("away"));
      return [];
    },
    async close() {},
  } as unknown as Database;
  const clock = { now: () => 1_000, isSet: () => true };
  return {
    idsToRead,
    calls: () => calls,
    reads: new UrgentReads({ idsToRead, database, clock, intake: { acceptNamed() {} } }),
  };
}

describe("a schedule that is read by its id", () => {
  it("stays requested when the read fails", async () => {
    const { idsToRead, reads } = start((call) => call === 0);
    idsToRead.add(["s1", "s2"]);
    await expect(reads.runOnce()).rejects.toThrow(DatabaseUnavailable);
    expect(idsToRead.take(10)).toEqual(["s1", "s2"]);
  });

  it("is read once when the database answers", async () => {
    const { idsToRead, reads, calls } = start(() => false);
    idsToRead.add(["s1"]);
    await reads.runOnce();
    expect(idsToRead.size).toBe(0);
    await reads.runOnce();
    expect(calls()).toBe(1);
  });
});
