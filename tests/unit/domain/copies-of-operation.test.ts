import { describe, expect, it } from "vitest";
import { copyProgress } from "#domain/copies-of-operation.ts";

const NONE = { scheduled: 0, firing: 0, succeeded: 0, failed: 0, dead: 0, cancelled: 0 };
const ended = { isRunning: false, total: 40, acted: 37, leftAlone: 3 };
const of = (operation: typeof ended, some: Partial<typeof NONE>, isCapped = false) =>
  copyProgress(operation, { byStatus: { ...NONE, ...some }, isCapped });

describe("the copies of a replay", () => {
  it("are counted against all that it will make while it runs, and against those it made once it has ended", () => {
    expect(of({ ...ended, isRunning: true, acted: 10, leftAlone: 1 }, { succeeded: 4, firing: 6 })).toMatchObject({
      delivered: 4,
      open: 6,
      of: 39,
      unknown: 0,
      isSettled: false,
    });
    expect(of(ended, { succeeded: 37 })).toMatchObject({ delivered: 37, of: 37, isSettled: true });
  });

  it("are settled when each has ended, dead and cancelled ones too", () => {
    expect(of(ended, { succeeded: 34, dead: 2, failed: 1 })).toMatchObject({ open: 1, isSettled: false });
    expect(of(ended, { succeeded: 34, dead: 2, cancelled: 1 })).toMatchObject({ dead: 2, isSettled: true });
  });

  it("that were deleted meanwhile are unknown, and not taken for undelivered", () => {
    expect(of(ended, { succeeded: 12 })).toMatchObject({ delivered: 12, of: 37, unknown: 25 });
    expect(of({ ...ended, acted: 30_000 }, { succeeded: 10_000 }, true)).toMatchObject({ unknown: 0, isCapped: true });
  });

  it("may be more than the operation says that was read before them", () => {
    expect(of(ended, { succeeded: 37, scheduled: 5 })).toMatchObject({ of: 42, unknown: 0 });
  });
});
