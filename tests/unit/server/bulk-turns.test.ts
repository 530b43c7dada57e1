import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { inTurn } from "#server/schedules/bulk-turns.ts";

const MIB = 1024 * 1024;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Begins one call for each size. `begun` lists those at work, `end` ends one of them. */
function begin(...sizes: number[]) {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const calls = sizes.map((bytes, n) =>
    inTurn(bytes, () => {
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
  it("runs four small calls at once, and the next one as soon as one has ended", async () => {
    const calls = begin(0, 1, 2, 3, 4, 5);
    await vi.advanceTimersByTimeAsync(0);
    expect(calls.begun).toEqual([0, 1, 2, 3]);
    await calls.end(2);
    expect(calls.begun).toEqual([0, 1, 2, 3, 4]);
    for (const n of [0, 1, 3, 4, 5]) await calls.end(n);
    expect(await Promise.all(calls.refused)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it("runs a call that is larger than the limit alone, and lets no other call overtake it", async () => {
    const calls = begin(MIB, 30 * MIB, MIB);
    await vi.advanceTimersByTimeAsync(0);
    expect(calls.begun).toEqual([0]);
    await calls.end(0);
    expect(calls.begun).toEqual([0, 1]);
    await calls.end(1);
    expect(calls.begun).toEqual([0, 1, 2]);
    await calls.end(2);
  });

  it("refuses a call that has waited for three seconds, and runs those behind it", async () => {
    const calls = begin(10 * MIB, 10 * MIB);
    await vi.advanceTimersByTimeAsync(1_000);
    const behind = begin(MIB);
    await vi.advanceTimersByTimeAsync(1_900);
    expect([calls.begun, behind.begun]).toEqual([[0], []]);
    await vi.advanceTimersByTimeAsync(200);
    expect(await calls.refused[1]).toMatchObject({ code: "UNAVAILABLE", headers: { "Retry-After": "3" } });
    expect(behind.begun).toEqual([0]);
    await behind.end(0);
    await calls.end(0);
    expect(await calls.refused[0]).toBe(0);
  });

  it("frees the turn when the work fails", async () => {
    const failed = inTurn(30 * MIB, () => Promise.reject(new Error("no")));
    await expect(failed).rejects.toThrow("no");
    await expect(inTurn(30 * MIB, async () => "done")).resolves.toBe("done");
  });
});
