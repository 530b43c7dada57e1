import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { addressesOf } from "#dispatcher/connections/resolver.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const V4 = ["192.0.2.1"];
const V6 = ["2001:db8::1"];
const failing = (code: string) => Promise.reject(Object.assign(new Error(code), { code }));
const isIPv4 = (addresses: string[]) => addresses === V4;

/** The addresses of a name whose AAAA records are known at once, and its A records when `answer` is called. */
function resolveSlowly(isUsable: (addresses: string[]) => boolean) {
  const { promise, resolve: answer } = Promise.withResolvers<string[]>();
  const outcomes: unknown[] = [];
  const over = addressesOf([promise, Promise.resolve(V6)], isUsable).then((addresses) => outcomes.push(addresses));
  return { answer, outcomes, over };
}

it("a family waits a quarter of a second for the other one", async () => {
  const { outcomes } = resolveSlowly(() => true);
  await vi.advanceTimersByTimeAsync(249);
  expect(outcomes).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(outcomes).toEqual([V6]);
});

it("a family that may not be used waits for the other one, however long that takes", async () => {
  const { answer, outcomes, over } = resolveSlowly(isIPv4);
  await vi.advanceTimersByTimeAsync(9_000);
  expect(outcomes).toEqual([]);
  answer(V4);
  await over;
  expect(outcomes).toEqual([[...V4, ...V6]]);
});

it("a family that may not be used is all that is known of a name without the other one", async () => {
  for (const code of ["ENODATA", "ENOTFOUND"])
    expect(await addressesOf([failing(code), Promise.resolve(V6)], isIPv4)).toEqual(V6);
});

it("a name is not judged by a family that may not be used while the other one is not known", async () => {
  await expect(addressesOf([failing("ESERVFAIL"), Promise.resolve(V6)], isIPv4)).rejects.toMatchObject({
    code: "ESERVFAIL",
  });
  expect(await addressesOf([Promise.resolve(V4), failing("ESERVFAIL")], isIPv4)).toEqual(V4);
});
