import { describe, expect, it } from "vitest";
import { CONTROL_P99_MAX_MS, latenessOf } from "../../chaos/control-group.ts";
import type { Injected } from "../../chaos/evidence.ts";
import { verdictOf } from "../../chaos/verdict.ts";
import { arrived, BEGAN, created, evidenceOf } from "./evidence.ts";

const DUE = 60_000;

/** 200 requests of the control group within one second, of which `late` are two seconds late. */
function group(late: number, injected: Injected[] = []) {
  const ids = Array.from({ length: 200 }, (_, n) => n);
  return evidenceOf({
    client: ids.map((n) => created(`s${n}`, DUE + n * 5)),
    arrivals: ids.map((n) => arrived(`s${n}`, DUE + n * 5 + (n < late ? 2_000 : 1))),
    injected,
  });
}
const fault = (fromMs: number, untilMs: number, rest: Partial<Injected> = {}): Injected => ({
  kind: "pause",
  pid: 11,
  slot: 0,
  note: "",
  fromMs: BEGAN + fromMs,
  untilMs: BEGAN + untilMs,
  ...rest,
});
const kinds = (...of: Parameters<typeof group>) => {
  const { violations } = verdictOf(group(...of));
  return [...new Set(violations.map(({ kind }) => kind))].filter((kind) => kind === "control group p99");
};

describe("the control group", () => {
  it("fails a run when more than one in a hundred of its requests are later than the limit", () => {
    expect(kinds(2)).toEqual([]);
    expect(kinds(3)).toEqual(["control group p99"]);
  });

  it("is measured by the first request of each schedule, and not by its retries", () => {
    const evidence = group(0);
    const retry = { ...arrived("s0", DUE + 9_000), attempt: 2 };
    expect(latenessOf("control", { ...evidence, arrivals: [...evidence.arrivals, retry] })).toEqual({
      count: 200,
      p50: 1,
      p99: 1,
      max: 1,
    });
  });

  it("may be late while a fault lasts and for 15 s after it", () => {
    expect(kinds(200, [fault(50_000, 55_000)])).toEqual([]);
    expect(kinds(200, [fault(30_000, 44_000)])).toEqual(["control group p99"]);
  });

  it("may be late for 15 s after a killed process was replaced by another one", () => {
    const killed = { kind: "kill" as const, replacedAtMs: BEGAN + 44_000 };
    expect(kinds(200, [fault(40_000, Number.POSITIVE_INFINITY, killed)])).toEqual(["control group p99"]);
    expect(kinds(200, [fault(40_000, Number.POSITIVE_INFINITY, { ...killed, replacedAtMs: BEGAN + 50_000 })])).toEqual(
      [],
    );
  });

  it("may not be late because an adversary killed a process", () => {
    const killed = { kind: "kill" as const, byAdversary: true };
    expect(kinds(200, [fault(40_000, Number.POSITIVE_INFINITY, killed)])).toEqual(["control group p99"]);
  });

  it("includes a request that was over the limit before a fault began, with its wait up to the fault", () => {
    expect(latenessOf("control", group(200, [fault(DUE + 1_400, DUE + 1_500)]))).toMatchObject({
      count: 200,
      p50: expect.closeTo(900, -1),
      max: 1_400,
    });
  });

  it("leaves out a request that a fault delayed before it was over the limit", () => {
    const evidence = evidenceOf({
      client: [created("s1", DUE)],
      arrivals: [arrived("s1", DUE + 2_000)],
      injected: [fault(DUE + CONTROL_P99_MAX_MS, DUE + 1_000)],
    });
    expect(latenessOf("control", evidence).count).toBe(0);
  });

  it("counts a request that never arrived as later than any other", () => {
    const evidence = group(0);
    expect(latenessOf("control", { ...evidence, arrivals: evidence.arrivals.slice(3) }).p99).toBe(
      Number.POSITIVE_INFINITY,
    );
  });

  it("leaves out requests acknowledged too late to be known in time, and those due before the shards are divided", () => {
    const lateCreate = created("s1", DUE, { acknowledgedAtMs: BEGAN + DUE - 50 });
    const evidence = evidenceOf({
      client: [lateCreate, created("s2", 10_000)],
      arrivals: [arrived("s1", DUE + 2_000), arrived("s2", 12_000)],
    });
    expect(latenessOf("control", evidence)).toEqual({ count: 0, p50: null, p99: null, max: null });
  });
});
