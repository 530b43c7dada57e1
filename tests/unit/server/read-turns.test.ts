import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createReadTurns } from "#server/read-turns.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/**
 * Asks for turns in this order, one for each letter. `had` lists those that got one, `end` ends the first turn of an
 * account.
 */
function ask(letters: string, turns = createReadTurns({ max: 3, perAccountMax: 2 })) {
  const had: string[] = [];
  const ends: { account: string; end: () => void }[] = [];
  const calls = [...letters].map((account) =>
    turns.take(account, 1_000).then(
      (end) => {
        had.push(account);
        ends.push({ account, end });
      },
      (error) => error,
    ),
  );
  const end = async (account: string) => {
    const at = ends.findIndex((one) => one.account === account);
    ends.splice(at, 1)[0]?.end();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { had, calls, end };
}

describe("a turn at reading", () => {
  it("is granted to at most two reads of one account at once, whatever else is free", async () => {
    const { had, end } = ask("aaaab");
    await vi.advanceTimersByTimeAsync(0);
    expect(had.join("")).toBe("aab");
    await end("a");
    expect(had.join("")).toBe("aaba");
  });

  it("goes to the account that has the fewest, and then to the read that has waited longest", async () => {
    const { had, end } = ask("aabaacab");
    await vi.advanceTimersByTimeAsync(0);
    expect(had.join("")).toBe("aab");
    await end("a");
    expect(had.join("")).toBe("aabc");
    await end("c");
    expect(had.join("")).toBe("aabca");
  });

  it("that is not free in time is RATE_LIMITED for an account that has its own turns, and UNAVAILABLE for others", async () => {
    const { calls } = ask("aaabbc");
    await vi.advanceTimersByTimeAsync(1_000);
    const refused = { headers: { "Retry-After": "2" } };
    expect(await calls[2]).toMatchObject({ code: "RATE_LIMITED", ...refused });
    expect(await calls[4]).toMatchObject({ code: "UNAVAILABLE", ...refused });
    expect(await calls[5]).toMatchObject({ code: "UNAVAILABLE", ...refused });
  });

  it("is not reserved for a read that has given up", async () => {
    const { had, end } = ask("aaab");
    await vi.advanceTimersByTimeAsync(1_000);
    await end("a");
    expect(had.join("")).toBe("aab");
  });
});
