import { describe, expect, test } from "vitest";
import { cacheFor, rememberLast } from "#domain/cache-for.ts";

function source() {
  const state = { nowMs: 0, reads: 0, fails: false };
  const read = cacheFor(
    30,
    async () => {
      state.reads++;
      if (state.fails) throw new Error("away");
      return state.reads;
    },
    () => state.nowMs,
  );
  return { state, read };
}

describe("a value in a cacheFor cache", () => {
  test("is read once while it is valid, and again afterwards", async () => {
    const { state, read } = source();
    expect(await read()).toBe(1);
    state.nowMs = 29;
    expect(await read()).toBe(1);
    state.nowMs = 30;
    expect(await read()).toBe(2);
  });

  test("is read once for callers that ask at the same time", async () => {
    const { state, read } = source();
    expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
    expect(state.reads).toBe(1);
  });

  test("is read again after a failure", async () => {
    const { state, read } = source();
    state.fails = true;
    await expect(read()).rejects.toThrow("away");
    state.fails = false;
    expect(await read()).toBe(2);
  });
});

describe("an answer that is remembered", () => {
  test("is the last successful one, however often reading fails after it, and null before the first", async () => {
    const { state, read } = source();
    const remembered = rememberLast(read);
    expect(remembered.last()).toBeNull();
    state.fails = true;
    await expect(remembered.read()).rejects.toThrow("away");
    expect(remembered.last()).toBeNull();
    state.fails = false;
    expect(await remembered.read()).toBe(2);
    state.fails = true;
    state.nowMs = 60;
    await expect(remembered.read()).rejects.toThrow("away");
    expect(remembered.last()).toBe(2);
  });
});
