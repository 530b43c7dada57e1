import { afterEach, expect, it, vi } from "vitest";
import { afterFailure, withCleanUp } from "#scripts/clean-up.ts";

afterEach(() => void vi.restoreAllMocks());

const fails = (text: string) => () => Promise.reject(new Error(text));

it("the error of the work is the one that is thrown, and that of a clean-up is printed", async () => {
  const printed = vi.spyOn(console, "error").mockImplementation(() => {});
  const stop = vi.fn();
  await expect(withCleanUp(fails("no descriptors"), [fails("pg_ctl: too"), stop])).rejects.toThrow("no descriptors");
  expect(printed.mock.calls).toEqual([["Cleaning up failed, too: pg_ctl: too"]]);
  expect(stop, "a step runs whatever became of the one before").toHaveBeenCalledOnce();
});

it("a clean-up that fails after work that succeeded is the error, once all steps were tried", async () => {
  const stop = vi.fn();
  const throws = () => {
    throw new Error("not stopped");
  };
  await expect(withCleanUp(async () => 1, [throws, stop])).rejects.toThrow("not stopped");
  expect(stop).toHaveBeenCalledOnce();
});

it("the result is that of the work", async () => {
  expect(await withCleanUp(async () => 7, [() => 8])).toBe(7);
});

it("what is cleaned up after a failure throws nothing of its own", async () => {
  const printed = vi.spyOn(console, "error").mockImplementation(() => {});
  await afterFailure(fails("the folder is in the way"));
  expect(printed).toHaveBeenCalledOnce();
});
