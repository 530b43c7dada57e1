import { describe, expect, it } from "vitest";
import type { Arrival, AttemptRow, ChangeEntry, Evidence, Injected } from "../../chaos/evidence.ts";
import { verdictOf } from "../../chaos/verdict.ts";

const ID = "00000000-0000-7000-8000-000000000001";
const FIRE_AT = 1_000_000;

const arrival = (attempt: number, atMs: number, statusCode: number | null = 200, forMs = 10): Arrival => ({
  scheduleId: ID,
  attempt,
  statusCode,
  bodyHash: "aa",
  arrivedAtMs: FIRE_AT + atMs,
  readableAfterMs: FIRE_AT + atMs,
  endedAtMs: FIRE_AT + atMs + forMs,
});
const recorded = (attempt: number, outcome: string, statusCode: number | null, atMs: number): AttemptRow => ({
  scheduleId: ID,
  attempt,
  outcome,
  statusCode,
  latencyMs: 10,
  attemptedAtMs: FIRE_AT + atMs,
});
const claim = (attempt: number, atMs: number, dispatcherId = "d1") => ({
  scheduleId: ID,
  attempt,
  dispatcherId,
  claimedAtMs: FIRE_AT + atMs,
  deadlineMs: FIRE_AT + atMs + 35_000,
});
const change = (kind: ChangeEntry["kind"], atMs: number, rest: Partial<ChangeEntry> = {}): ChangeEntry => ({
  kind,
  fireAtMs: null,
  answer: "done",
  askedAtMs: FIRE_AT + atMs - 5,
  answeredAtMs: FIRE_AT + atMs,
  ...rest,
});
const fault = (kind: Injected["kind"], fromMs: number, untilMs: number): Injected => ({
  kind,
  pid: 11,
  slot: null,
  note: "",
  fromMs: FIRE_AT + fromMs,
  untilMs: FIRE_AT + untilMs,
});

/**
 * One schedule that was delivered at its instant, as client, receiver and database recorded it; `rest` changes some of
 * these records.
 */
function story(rest: {
  changes?: ChangeEntry[];
  row?: Partial<Evidence["schedules"][number]> | null;
  arrivals?: Arrival[];
  attempts?: AttemptRow[];
  claims?: Evidence["claims"];
  injected?: Injected[];
  audits?: Evidence["audits"];
}): Evidence {
  const row = {
    id: ID,
    status: "succeeded",
    fireAtMs: FIRE_AT,
    earlyFire: false,
    attempts: 1,
    failures: 0,
    interruptions: 0,
    ...rest.row,
  };
  return {
    client: [
      {
        accountId: "a1",
        group: "ordinary",
        origin: "https://localhost:1",
        id: ID,
        fireAtMs: FIRE_AT,
        acknowledgedAtMs: FIRE_AT - 900,
        behaviour: "ok",
        bodyHash: "aa",
        changes: rest.changes ?? [],
      },
    ],
    recurring: [],
    recurrences: [],
    occurrences: [],
    schedules: rest.row === null ? [] : [row],
    arrivals: rest.arrivals ?? [arrival(1, 1)],
    attempts: rest.attempts ?? [recorded(1, "delivered", 200, 0)],
    claims: rest.claims ?? [claim(1, -10), claim(2, 36_000, "d2")],
    processes: [
      { dispatcherId: "d1", pid: 11, slot: 0 },
      { dispatcherId: "d2", pid: 12, slot: 1 },
    ],
    injected: rest.injected ?? [],
    audits: rest.audits ?? [],
    startedAtMs: FIRE_AT - 60_000,
    attacks: [],
    lifetimes: [],
    socketCounts: [],
    processSockets: [],
    bounds: { perAccountAndOrigin: 4, perAccount: 6, perOrigin: 8, total: 16 },
    retryPolicy: { retryAttempts: 2, retryBackoffMs: 1_000 },
  };
}

const kinds = (evidence: Evidence) => [...new Set(verdictOf(evidence).violations.map(({ kind }) => kind))];

/** The dispatcher of attempt 1 was lost, and another dispatcher repeated the attempt. */
const repeated = (injected: Injected[], firstForMs = 10) =>
  story({
    arrivals: [arrival(1, 1, 200, firstForMs), arrival(2, 36_010)],
    attempts: [recorded(1, "interrupted", null, 0), recorded(2, "delivered", 200, 36_010)],
    injected,
  });

/** Attempt 1 arrived 40 s late, after another dispatcher had delivered attempt 2. */
const lateWrite = (injected: Injected) =>
  story({
    row: { attempts: 2 },
    arrivals: [arrival(2, 37_500), arrival(1, 40_004)],
    attempts: [recorded(1, "interrupted", null, 0), recorded(2, "delivered", 200, 37_500)],
    claims: [claim(1, -30), claim(2, 37_300, "d2")],
    injected: [injected],
  });

/** A PUT that was answered 300 ms ahead of the instant, and that moves it nowhere. */
const put = (answer: ChangeEntry["answer"]): ChangeEntry => ({
  ...{ kind: "put", fireAtMs: FIRE_AT, askedAtMs: FIRE_AT - 310, answeredAtMs: FIRE_AT - 300, answer, bodyHash: "bb" },
});

describe("the verdict of a request that a PUT replaces", () => {
  it.each([
    ["done", "bb", []],
    ["done", "aa", ["lost"]],
    ["refused", "aa", []],
    ["refused", "bb", ["lost"]],
    ["unknown", "aa", []],
    ["unknown", "bb", []],
  ] as const)("of a PUT that is %s takes the body %s for %j", (answer, bodyHash, violations) => {
    expect(kinds(story({ changes: [put(answer)], arrivals: [{ ...arrival(1, 1), bodyHash }] }))).toEqual(violations);
  });
});

describe("the verdict has no violation when", () => {
  it("a schedule is delivered at its instant", () => {
    expect(verdictOf(story({}))).toMatchObject({ violations: [], allowedDuplicates: 0, interrupted: 0 });
  });

  it("a failed attempt is followed by its retry, or a schedule has used up its retries", () => {
    const failed = story({
      row: { status: "dead", attempts: 3, failures: 3 },
      arrivals: [arrival(1, 1, 500), arrival(2, 1_100, 500), arrival(3, 3_300, null)],
      attempts: [
        recorded(1, "rejected", 500, 0),
        recorded(2, "rejected", 500, 1_100),
        recorded(3, "unreachable", null, 3_300),
      ],
    });
    expect(kinds(failed)).toEqual([]);
  });

  it("a cancelled schedule was never sent", () => {
    const cancelled = story({
      row: { status: "cancelled" },
      changes: [change("cancel", -50)],
      arrivals: [],
      attempts: [],
    });
    expect(kinds(cancelled)).toEqual([]);
  });

  it("the answer to a change was lost, whether the change happened or not", () => {
    const lost = change("reschedule", -500, { answer: "unknown", fireAtMs: FIRE_AT + 700 });
    expect(kinds(story({ changes: [lost] }))).toEqual([]);
    expect(kinds(story({ changes: [lost], row: { fireAtMs: FIRE_AT + 700 }, arrivals: [arrival(1, 701)] }))).toEqual(
      [],
    );
    const cancel = change("cancel", -500, { answer: "unknown" });
    expect(kinds(story({ changes: [cancel] }))).toEqual([]);
  });
});

describe("the verdict reports as lost", () => {
  it("an acknowledged create that has no row", () => {
    expect(kinds(story({ row: null, arrivals: [], attempts: [] }))).toEqual(["lost"]);
  });

  it("a schedule that has no final status when the run is over", () => {
    const open = story({ row: { status: "firing" }, arrivals: [], attempts: [] });
    expect(kinds(open)).toEqual(["lost"]);
  });

  it("a schedule that is dead with retries left", () => {
    const dead = story({
      row: { status: "dead", failures: 1 },
      arrivals: [arrival(1, 1, 500)],
      attempts: [recorded(1, "rejected", 500, 0)],
    });
    expect(kinds(dead)).toEqual(["lost"]);
  });

  it("an acknowledged reschedule that the row does not show", () => {
    const moved = change("reschedule", -500, { fireAtMs: FIRE_AT - 100 });
    expect(kinds(story({ changes: [moved] }))).toEqual(["lost"]);
  });

  it("a request with another body", () => {
    expect(kinds(story({ arrivals: [{ ...arrival(1, 1), bodyHash: "bb" }] }))).toEqual(["lost"]);
  });

  it("a schedule that is cancelled although no cancel succeeded", () => {
    const refused = change("cancel", 0, { answer: "refused" });
    expect(kinds(story({ row: { status: "cancelled" }, changes: [refused] }))).toEqual(["lost"]);
  });
});

describe("the verdict reports as early", () => {
  it("a request before its instant", () => {
    expect(kinds(story({ arrivals: [arrival(1, -0.5)] }))).toEqual(["early"]);
  });

  it("a request with early fire that arrives more than 500 ms before its instant", () => {
    expect(kinds(story({ row: { earlyFire: true }, arrivals: [arrival(1, -499)] }))).toEqual([]);
    expect(kinds(story({ row: { earlyFire: true }, arrivals: [arrival(1, -501)] }))).toEqual(["early"]);
  });

  it("a retry before its backoff is over", () => {
    const hasty = story({
      arrivals: [arrival(1, 1, 500), arrival(2, 700)],
      attempts: [recorded(1, "rejected", 500, 0), recorded(2, "delivered", 200, 700)],
    });
    expect(kinds(hasty)).toEqual(["early"]);
  });

  it("a repeat before the lease of the lost attempt has ended", () => {
    const hasty = story({
      arrivals: [arrival(1, 1), arrival(2, 20_000)],
      attempts: [recorded(1, "interrupted", null, 0), recorded(2, "delivered", 200, 20_000)],
      claims: [claim(1, -10), claim(2, 19_990, "d2")],
      injected: [fault("pause", 5, 40_000)],
    });
    expect(kinds(hasty)).toContain("early");
  });

  it("a repeat before its process was killed, but not one afterwards", () => {
    const killed = (atMs: number) =>
      story({
        arrivals: [arrival(1, 1), arrival(2, 20_000)],
        attempts: [recorded(1, "interrupted", null, 0), recorded(2, "delivered", 200, 20_000)],
        claims: [claim(1, -10), claim(2, 19_990, "d2")],
        injected: [fault("kill", atMs, Number.POSITIVE_INFINITY)],
      });
    expect(kinds(killed(25_000))).toContain("early");
    expect(kinds(killed(5))).toEqual([]);
  });
});

describe("the verdict reports as after-cancel", () => {
  it("a request that starts after its cancel was acknowledged", () => {
    const cancelled = story({ row: { status: "cancelled" }, changes: [change("cancel", -1)] });
    expect(kinds(cancelled)).toContain("after-cancel");
  });

  it("a schedule that was delivered although its cancel was acknowledged", () => {
    expect(kinds(story({ changes: [change("cancel", 5)] }))).toEqual(["after-cancel"]);
  });

  it("a request at the old instant after a reschedule was acknowledged", () => {
    const moved = change("reschedule", -20, { fireAtMs: FIRE_AT + 100 });
    expect(kinds(story({ changes: [moved], row: { fireAtMs: FIRE_AT + 100 } }))).toEqual(["after-cancel"]);
  });

  it("no first attempt that ended before the cancel was acknowledged", () => {
    const between = story({
      row: { status: "cancelled", failures: 1 },
      changes: [change("cancel", 300)],
      arrivals: [arrival(1, 1, 500)],
      attempts: [recorded(1, "rejected", 500, 0)],
    });
    expect(kinds(between)).toEqual([]);
  });
});

describe("the verdict reports as duplicate", () => {
  it("two requests of one attempt, whatever fault was injected", () => {
    const twice = story({
      arrivals: [arrival(1, 1), arrival(1, 400)],
      injected: [fault("kill", 5, Number.POSITIVE_INFINITY)],
    });
    expect(kinds(twice)).toEqual(["duplicate"]);
  });

  it("a request after a success", () => {
    const again = story({
      arrivals: [arrival(1, 1), arrival(2, 1_500)],
      attempts: [recorded(1, "delivered", 200, 0), recorded(2, "delivered", 200, 1_500)],
    });
    expect(kinds(again)).toEqual(["duplicate"]);
  });

  it("no repeat of a request whose dispatcher was killed with it in flight", () => {
    const verdict = verdictOf(repeated([fault("kill", 5, Number.POSITIVE_INFINITY)]));
    expect(verdict).toMatchObject({ violations: [], allowedDuplicates: 1, interrupted: 1 });
  });

  it("no late request of a process that was paused between its last check and its write", () => {
    const verdict = verdictOf(lateWrite(fault("pause", 1, 40_001)));
    expect(verdict).toMatchObject({ violations: [], allowedDuplicates: 1 });
  });

  it("a late request of a process that was paused before its last check and did not check its lease again", () => {
    expect(kinds(lateWrite(fault("pause", -60, 40_001)))).toEqual(["duplicate"]);
  });

  it("a late request that a paused process wrote long after it continued", () => {
    expect(kinds(lateWrite(fault("pause", 1, 39_900)))).toEqual(["duplicate"]);
  });

  it("a repeat without any fault", () => {
    expect(kinds(repeated([]))).toContain("duplicate");
  });

  it("a repeat when only another dispatcher had a fault", () => {
    expect(kinds(repeated([{ ...fault("kill", 5, Number.POSITIVE_INFINITY), pid: 12 }]))).toContain("duplicate");
  });

  it("a repeat when the dispatcher was killed so long after the answer that the outcome should have been recorded", () => {
    expect(kinds(repeated([fault("kill", 8_000, Number.POSITIVE_INFINITY)]))).toContain("duplicate");
  });

  it("a repeat when a partition ended long before the lease, but not when it lasted until then", () => {
    expect(kinds(repeated([fault("partition", -10, 5_000)]))).toContain("duplicate");
    expect(kinds(repeated([fault("partition", -10, 30_000)]))).toEqual([]);
  });

  it("a repeat when only database sessions were ended", () => {
    expect(kinds(repeated([fault("sessions", 5, 6)]))).toContain("duplicate");
  });

  it("more failures than the retries allow", () => {
    const over = story({ row: { failures: 4 } });
    expect(kinds(over)).toEqual(["duplicate"]);
  });
});

describe("the verdict reports as overlapping", () => {
  it("a repeat while the first request is still open", () => {
    expect(kinds(repeated([fault("kill", 5, Number.POSITIVE_INFINITY)], 40_000))).toContain("overlapping");
  });

  it("no repeat beside a request of a process that was stopped", () => {
    expect(kinds(repeated([fault("pause", 5, 39_000)], 40_000))).toEqual([]);
  });
});

describe("the verdict reports as unrecorded", () => {
  it("a request without an attempt row", () => {
    expect(kinds(story({ row: { status: "cancelled" }, changes: [change("cancel", 500)], attempts: [] }))).toEqual([
      "unrecorded",
    ]);
  });

  it("a request that is recorded with another status", () => {
    expect(kinds(story({ arrivals: [arrival(1, 1, 500)] }))).toEqual(["unrecorded"]);
  });

  it("no answer to a request that a process wrote when its time was over, since it was paused before", () => {
    const givenUp = (atMs: number) =>
      story({
        row: { attempts: 2 },
        arrivals: [arrival(1, atMs), arrival(2, 42_000)],
        attempts: [recorded(1, "unreachable", null, 0), recorded(2, "delivered", 200, 42_000)],
        claims: [claim(1, -30), claim(2, 41_900, "d2")],
        injected: [fault("pause", 1, 40_001)],
      });
    expect(kinds(givenUp(40_004))).toEqual([]);
    expect(kinds(givenUp(0))).toContain("unrecorded");
  });

  it("an attempt that is recorded twice", () => {
    const twice = [recorded(1, "delivered", 200, 0), recorded(1, "interrupted", null, 1)];
    expect(kinds(story({ attempts: twice }))).toEqual(["unrecorded"]);
  });

  it("a recorded answer that no request got", () => {
    expect(kinds(story({ arrivals: [] }))).toEqual(["unrecorded"]);
  });

  it("an interrupted attempt without a fault, also when it is not repeated", () => {
    const alone = story({
      row: { status: "cancelled" },
      changes: [change("cancel", 36_000)],
      attempts: [recorded(1, "interrupted", null, 0)],
    });
    expect(kinds(alone)).toEqual(["unrecorded"]);
  });
});

describe("an audit of a dispatcher's counters", () => {
  const audit = (...drift: string[]) => ({ pid: 11, slot: 0, atMs: FIRE_AT, drift });

  it("is in order when it finds no difference", () => {
    expect(kinds(story({ audits: [audit(), audit()] }))).toEqual([]);
  });

  it("is a violation for each difference, which names the dispatcher and the counter", () => {
    const { violations } = verdictOf(
      story({ audits: [audit(), audit("claims: counted 2, really 1", "memory: counted 1, really 0")] }),
    );
    expect(violations).toMatchObject([
      {
        kind: "audit drift",
        of: "dispatcher 0 (process 11)",
        detail: expect.stringContaining("claims: counted 2, really 1"),
      },
      { kind: "audit drift", of: "dispatcher 0 (process 11)", detail: expect.stringContaining("memory") },
    ]);
  });
});
