import { expect, test, vi } from "vitest";
import type { RefusedCredential } from "#db/queries/accounts/security-events.ts";
import { Refusals } from "#server/security/refusals.ts";

const REFUSED = { accountId: "a", subjectId: "k", details: {}, network: null, userAgent: null };

/** Refusals with a pause of 10 s on a fake clock, and the writes that they cause. */
function recording(write: (refused: RefusedCredential) => Promise<void> = async () => {}) {
  vi.useFakeTimers();
  const writes: RefusedCredential[] = [];
  const refusals = new Refusals((refused) => {
    writes.push(refused);
    return write(refused);
  });
  return { writes, refusals };
}

test("the first refusal of a credential is written at once, and those of the next ten seconds in one write", async () => {
  const { writes, refusals } = recording();
  for (let n = 0; n < 1_000; n++) refusals.record({ ...REFUSED, network: `${n}` });
  expect(writes).toEqual([{ ...REFUSED, network: "0", times: 1 }]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(writes.slice(1)).toEqual([{ ...REFUSED, network: "999", times: 999 }]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(writes).toHaveLength(2);
  refusals.record(REFUSED);
  expect(writes).toHaveLength(3);
});

test("a write of a credential waits for the one before, however long the database takes", async () => {
  let running = 0;
  const { writes, refusals } = recording(async () => {
    running += 1;
    expect(running).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 30_000));
    running -= 1;
  });
  for (let second = 0; second < 100; second++) {
    refusals.record(REFUSED);
    await vi.advanceTimersByTimeAsync(1_000);
  }
  await vi.advanceTimersByTimeAsync(60_000);
  expect(writes.reduce((sum, { times }) => sum + times, 0)).toBe(100);
  expect(writes.length).toBeLessThan(6);
});

test("no more than a thousand credentials are remembered, whatever arrives", () => {
  const { writes, refusals } = recording(() => new Promise(() => {}));
  for (let n = 0; n < 5_000; n++) refusals.record({ ...REFUSED, subjectId: `k${n}` });
  expect(writes).toHaveLength(1_000);
});
