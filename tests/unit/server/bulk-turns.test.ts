import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { inTurn } from "#server/schedules/bulk-turns.ts";

const MIB = 1024 * 1024;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Begins one call of an account for each size. `begun` lists those at work, `end` ends one of them. */
function begin(accountId: string, ...sizes: number[]) {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const calls = sizes.map((bytes, n) =>
    inTurn(accountId, bytes, () => {
      begun.push(n);
      return new Promise<number>((resolve) => {
        ends[n] = () => resolve(n);
      });
    }),
  );
  const refused = calls.map((call) => call.catch((error) => error));
  const end = async (n: number) => {
    ends[n]?.();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { begun, refused, end };
}

describe("inTurn", () => {
  it("runs three small calls of an account and four of several at once, and the next one as soon as one has ended", async () => {
    const calls = begin("a", 0, 1, 2, 3, 4);
    const other = begin("b", 0, 1);
    await vi.advanceTimersByTimeAsync(0);
    expect([calls.begun, other.begun]).toEqual([[0, 1, 2], [0]]);
    await other.end(0);
    expect([calls.begun, other.begun]).toEqual([
      [0, 1, 2],
      [0, 1],
    ]);
    await calls.end(2);
    expect(calls.begun).toEqual([0, 1, 2, 3]);
    await other.end(1);
    for (const n of [0, 1, 3, 4]) await calls.end(n);
    expect(await Promise.all([...calls.refused, ...other.refused])).toEqual([0, 1, 2, 3, 4, 0, 1]);
  });

  it("begins the first call of an account at once behind a hundred of another, however large those are", async () => {
    for (const size of [MIB, 30 * MIB]) {
      const many = begin("a", ...Array<number>(100).fill(size));
      const one = begin("b", MIB);
      await vi.advanceTimersByTimeAsync(0);
      expect([one.begun, many.begun.length]).toEqual([[0], size === MIB ? 3 : 1]);
      await one.end(0);
      await vi.advanceTimersByTimeAsync(3_000);
      for (const n of many.begun) await many.end(n);
    }
  });

  it("lets accounts take turns, the one with the fewest bytes in progress first", async () => {
    const calls = begin("a", MIB, MIB, MIB, MIB);
    const [b, c] = [begin("b", MIB, MIB), begin("c", MIB)];
    await vi.advanceTimersByTimeAsync(0);
    expect([calls.begun, b.begun, c.begun]).toEqual([[0, 1, 2], [0], []]);
    await calls.end(0);
    expect([calls.begun, b.begun, c.begun]).toEqual([[0, 1, 2], [0], [0]]);
    await c.end(0);
    expect([calls.begun, b.begun]).toEqual([
      [0, 1, 2],
      [0, 1],
    ]);
    await b.end(0);
    expect(calls.begun).toEqual([0, 1, 2, 3]);
    for (const n of [1, 2, 3]) await calls.end(n);
    await b.end(1);
  });

  it("lets no smaller call overtake one that is larger than the limit", async () => {
    const small = begin("a", MIB, MIB);
    const large = begin("b", 30 * MIB);
    const behind = begin("c", MIB);
    await vi.advanceTimersByTimeAsync(0);
    expect([small.begun, large.begun, behind.begun]).toEqual([[0, 1], [], []]);
    await small.end(0);
    expect([large.begun, behind.begun]).toEqual([[0], []]);
    await small.end(1);
    expect(behind.begun).toEqual([0]);
    await large.end(0);
    await behind.end(0);
  });

  it("refuses a call that has waited for three seconds, and runs those behind it", async () => {
    const calls = begin("a", 10 * MIB, 10 * MIB);
    const other = begin("b", 10 * MIB);
    await vi.advanceTimersByTimeAsync(1_000);
    const behind = begin("c", MIB);
    await vi.advanceTimersByTimeAsync(1_900);
    expect([calls.begun, other.begun, behind.begun]).toEqual([[0], [], []]);
    await vi.advanceTimersByTimeAsync(200);
    for (const refused of [calls.refused[1], other.refused[0]]) {
      expect(await refused).toMatchObject({ code: "UNAVAILABLE", headers: { "Retry-After": "3" } });
    }
    expect(behind.begun).toEqual([0]);
    await behind.end(0);
    await calls.end(0);
    expect(await calls.refused[0]).toBe(0);
  });

  it("frees the turn when the work fails", async () => {
    const failed = inTurn("a", 30 * MIB, () => Promise.reject(new Error("no")));
    await expect(failed).rejects.toThrow("no");
    await expect(inTurn("a", 30 * MIB, async () => "done")).resolves.toBe("done");
  });
});
