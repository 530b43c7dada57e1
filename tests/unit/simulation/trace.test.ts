import { describe, expect, it } from "vitest";
import type { Injected } from "../../chaos/evidence.ts";
import { linesOf } from "../../chaos/lines.ts";
import { traceOf } from "../../simulation/trace.ts";
import { BEGAN, created, evidenceOf } from "../chaos/evidence.ts";

const OPTIONS = { seconds: 60, seed: 1, dispatchers: 2, rate: 1, adversaries: [], rules: 0, faults: true };
const fault = (rest: Partial<Injected>): Injected => ({
  ...{ kind: "kill", pid: 11, slot: 0, fromMs: BEGAN + 20_000, untilMs: Number.POSITIVE_INFINITY, note: "" },
  ...rest,
});
const traced = (rest: Partial<ReturnType<typeof evidenceOf>>) => traceOf({ ...evidenceOf(rest), options: OPTIONS });

describe("the trace of a chaos run", () => {
  it("has schedules and their changes, by account and origin, and no id or address", () => {
    const changes = [
      {
        kind: "reschedule" as const,
        fireAtMs: BEGAN + 70_000,
        askedAtMs: BEGAN + 58_000,
        answeredAtMs: BEGAN + 58_001,
      },
      { kind: "cancel" as const, fireAtMs: null, askedAtMs: BEGAN + 59_000, answeredAtMs: BEGAN + 59_001 },
    ].map((change) => ({ ...change, answer: "done" as const }));
    const { events, accounts } = traced({ client: [created("one", 60_000, { changes })] });
    expect(accounts).toMatchObject([{ cpsLimit: null, group: "control" }]);
    expect(events).toMatchObject([
      { did: "create", n: 0, account: 0, dueMs: 60_000, origin: "origin-0", behaviour: "ok" },
      { atMs: 58_000, did: "move", n: 0, dueMs: 70_000 },
      { atMs: 59_000, did: "cancel", n: 0 },
    ]);
    expect([...linesOf({ events })].join("")).not.toMatch(/localhost|https/);
  });

  it("has the faults, with the times in which they may have made any request late", () => {
    const { events, windows } = traced({
      injected: [
        fault({ replacedAtMs: BEGAN + 22_000 }),
        fault({ kind: "pause", slot: 1, fromMs: BEGAN + 30_000, untilMs: BEGAN + 31_000 }),
        fault({ kind: "partition", fromMs: BEGAN + 40_000, untilMs: BEGAN + 42_000, note: "hold, 40 %, then reset" }),
      ],
      lifetimes: [{ pid: 12, slot: 0, fromMs: BEGAN + 22_000, untilMs: Number.POSITIVE_INFINITY }],
    });
    expect(events).toEqual([
      { atMs: 20_000, did: "kill", slot: 0 },
      { atMs: 22_000, did: "start", slot: 0 },
      { atMs: 30_000, did: "pause", slot: 1, forMs: 1_000 },
      { atMs: 40_000, did: "partition", slot: 0, forMs: 2_000, mode: "hold", share: 0.4, isReset: true },
    ]);
    expect(windows.map(({ fromMs, untilMs }) => [fromMs, untilMs])).toEqual([
      [20_000, 37_000],
      [30_000, 46_000],
      [40_000, 57_000],
    ]);
  });

  it("has when an attack deactivated its accounts, and until when its targets hung", () => {
    const attacks = [{ adversary: "deactivated", fromMs: BEGAN + 10_000, untilMs: BEGAN + 30_000 }];
    const client = [created("one", 16_000, { group: "deactivated", behaviour: "hangs" })];
    const { events } = traced({ attacks, client });
    expect(events.filter(({ did }) => did !== "create")).toEqual([
      { atMs: 15_000, did: "deactivate", group: "deactivated" },
      { atMs: 30_000, did: "activate", group: "deactivated" },
      { atMs: 30_000, did: "activate", group: "deactivated" },
    ]);
    expect(events.find(({ did }) => did === "create")).toMatchObject({ hangsUntilMs: 30_000 });
  });
});
