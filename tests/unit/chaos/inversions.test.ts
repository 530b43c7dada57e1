import { describe, expect, it } from "vitest";
import type { ClientEntry, Evidence } from "../../chaos/evidence.ts";
import { findInversions } from "../../chaos/inversions.ts";
import { verdictOf } from "../../chaos/verdict.ts";
import { arrived, BEGAN, created, evidenceOf } from "./evidence.ts";

/** `older` is due a second before `newer` and is sent 500 ms after it. */
function overtaken(older: Partial<ClientEntry> = {}, rest: Partial<Evidence> = {}, sentMs = 62_000): Evidence {
  return evidenceOf({
    client: [created("older", 60_000, older), created("newer", 61_000)],
    arrivals: [arrived("older", sentMs), arrived("newer", 61_500)],
    ...rest,
  });
}
const ids = (evidence: Evidence) => findInversions(evidence).map(({ id }) => id);
const claim = (scheduleId: string, atMs: number, dispatcherId: string) => ({
  scheduleId,
  attempt: 1,
  dispatcherId,
  claimedAtMs: BEGAN + atMs,
  deadlineMs: BEGAN + atMs + 35_000,
});

describe("the count of inversions", () => {
  it("fails a run in which a request is overtaken by a later one of its lane to the same origin", () => {
    expect(ids(overtaken())).toEqual(["older"]);
    expect(verdictOf(overtaken()).violations).toContainEqual({
      kind: "inversions",
      of: "older",
      detail: "control: due 1000 ms before newer, and sent 500 ms after it",
    });
  });

  it("treats requests that leave less than 100 ms apart as concurrent", () => {
    expect(ids(overtaken({}, {}, 61_599))).toEqual([]);
    expect(ids(overtaken({}, {}, 61_600))).toEqual(["older"]);
  });

  it("ignores a request that may have become readable before the later one was read", () => {
    const read = (readableAfterMs: number): Partial<Evidence> => ({
      arrivals: [{ ...arrived("older", 62_000), readableAfterMs: BEGAN + readableAfterMs }, arrived("newer", 61_500)],
    });
    expect(ids(overtaken({}, read(61_599)))).toEqual([]);
    expect(findInversions(overtaken({}, read(61_599)), "arrivedAtMs")).toHaveLength(1);
    expect(ids(overtaken({}, read(61_600)))).toEqual(["older"]);
  });

  it("ignores requests of other lanes and to other origins", () => {
    expect(ids(overtaken({ accountId: "a2" }))).toEqual([]);
    expect(ids(overtaken({ origin: "https://localhost:2" }))).toEqual([]);
  });

  it("ignores a request that was created less than two seconds before the other one left", () => {
    expect(ids(overtaken({ acknowledgedAtMs: BEGAN + 59_501 }))).toEqual([]);
    expect(ids(overtaken({ acknowledgedAtMs: BEGAN + 59_500 }))).toEqual(["older"]);
  });

  it("ignores a request whose schedule was changed or whose target is not healthy", () => {
    const moved = { kind: "reschedule" as const, fireAtMs: BEGAN + 60_000, answer: "done" as const };
    expect(ids(overtaken({ changes: [{ ...moved, askedAtMs: BEGAN, answeredAtMs: BEGAN }] }))).toEqual([]);
    expect(ids(overtaken({ behaviour: "slow" }))).toEqual([]);
  });

  it("ignores requests that are due at the same instant", () => {
    expect(ids(overtaken({ fireAtMs: BEGAN + 61_000 }))).toEqual([]);
  });

  it("ignores requests that leave during a fault that may delay any request, or within 15 s after it", () => {
    const pause = { kind: "pause" as const, pid: 11, slot: 0, note: "", fromMs: BEGAN + 40_000 };
    expect(ids(overtaken({}, { injected: [{ ...pause, untilMs: BEGAN + 50_000 }] }))).toEqual([]);
    expect(ids(overtaken({}, { injected: [{ ...pause, untilMs: BEGAN + 45_000 }] }))).toEqual(["older"]);
  });

  it("ignores a request whose dispatcher was lost after the claim, but not one that a dispatcher put back", () => {
    const again = (by: string) => [claim("older", 59_900, "d1"), claim("older", 61_900, by)];
    expect(ids(overtaken({}, { claims: again("d2") }))).toEqual([]);
    expect(ids(overtaken({}, { claims: again("d1") }))).toEqual(["older"]);
  });
});
