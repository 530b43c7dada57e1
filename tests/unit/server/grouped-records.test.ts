import { afterEach, expect, test, vi } from "vitest";
import { GroupedRecords } from "#server/grouped-records.ts";

afterEach(() => {
  vi.useRealTimers();
});

type Item = { key: string; n: number };

/** Records on a fake clock, and the writes that they cause. */
function recording(write: () => Promise<void> = async () => {}) {
  vi.useFakeTimers();
  const writes: { last: Item; times: number }[] = [];
  const records = new GroupedRecords<Item>(
    ({ key }) => key,
    (last, times) => {
      writes.push({ last, times });
      return write();
    },
  );
  return { writes, records };
}

test("the first record of a group is written at once, and those of the next ten seconds in one write", async () => {
  const { writes, records } = recording();
  for (let n = 0; n < 1_000; n++) records.record({ key: "k", n });
  expect(writes).toEqual([{ last: { key: "k", n: 0 }, times: 1 }]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(writes.slice(1)).toEqual([{ last: { key: "k", n: 999 }, times: 999 }]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(writes).toHaveLength(2);
  records.record({ key: "k", n: 0 });
  expect(writes).toHaveLength(3);
});

test("the writes of a group never overlap and lose no record, even when they are slow or fail", async () => {
  let running = 0;
  const { writes, records } = recording(async () => {
    running += 1;
    expect(running).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 30_000));
    running -= 1;
    throw new Error("the database is away");
  });
  for (let second = 0; second < 100; second++) {
    records.record({ key: "k", n: second });
    await vi.advanceTimersByTimeAsync(1_000);
  }
  await vi.advanceTimersByTimeAsync(60_000);
  expect(writes.reduce((sum, { times }) => sum + times, 0)).toBe(100);
  expect(writes.length).toBeLessThan(6);
});

test("at most a thousand groups are remembered, and records of others are dropped", () => {
  const { writes, records } = recording(() => new Promise(() => {}));
  for (let n = 0; n < 5_000; n++) records.record({ key: `k${n}`, n });
  expect(writes).toHaveLength(1_000);
});
