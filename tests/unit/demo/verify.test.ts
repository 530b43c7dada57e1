import { createHmac, randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import type { Outcome } from "#scripts/demo/carry-out.ts";
import type { CreateRequest, PlannedSchedule } from "#scripts/demo/plan.ts";
import type { Arrival } from "#scripts/demo/receiver.ts";
import { cameTooLate, type Evidence, verify } from "#scripts/demo/verify.ts";

const SECRET = `whsec_${randomBytes(32).toString("base64")}`;
const DUE_MS = Date.now();
const TARGET = "https://localhost:8443";

test("the demo finds nothing broken when everything happened as promised, including retries, a cancel and a reschedule", () => {
  expect(verify(evidence())).toEqual([]);
});

describe("the demo reports", () => {
  test("a request that did not arrive", () => {
    const facts = evidence();
    facts.arrivals.shift();
    expect(namesOf(facts)).toEqual(["every attempt arrives exactly once"]);
  });

  test("a request that arrived twice", () => {
    const facts = evidence();
    facts.arrivals.push(structuredClone(facts.arrivals[0] as Evidence["arrivals"][number]));
    expect(namesOf(facts)).toContain("every attempt arrives exactly once");
  });

  test("a request for a schedule that nobody created", () => {
    const facts = evidence();
    facts.arrivals.push({ id: "sch_stranger", arrival: arrivalOf("sch_stranger", {}) });
    expect(namesOf(facts)).toEqual(["every attempt arrives exactly once"]);
  });

  test("a body with a changed byte, whose signatures then fail to verify", () => {
    const facts = evidence();
    first(facts).body = Buffer.from("Payload").toString("base64");
    expect(namesOf(facts)).toEqual([
      "every request arrives as it was written",
      "both signatures of every request verify",
    ]);
  });

  test.each([
    ["method", { method: "PUT" }],
    ["path", { path: "/hook/other" }],
    ["custom header", { headers: without("X-Demo") }],
    ["schedule id", { headers: without("X-Service-Schedule-Id") }],
    ["user agent", { headers: without("User-Agent") }],
  ])("a %s that differs from the one that was asked for", (_, change) => {
    const facts = evidence();
    Object.assign(first(facts), change);
    expect(namesOf(facts)).toEqual(["every request arrives as it was written"]);
  });

  test("a request that is a tenth of a millisecond early", () => {
    const facts = evidence();
    first(facts).arrivedAtMs = DUE_MS - 0.1;
    expect(namesOf(facts)).toContain("no request arrives early");
  });

  test("a rescheduled request that arrived at its former instant", () => {
    const facts = evidence();
    arrivalOfAttempt(facts, "sch_moved", 1).arrivedAtMs = DUE_MS + 2;
    expect(namesOf(facts)).toContain("no request arrives early");
  });

  test("a retry that did not wait for its backoff", () => {
    const facts = evidence();
    arrivalOfAttempt(facts, "sch_flaky", 3).arrivedAtMs -= 300;
    expect(namesOf(facts)).toContain("no request arrives early");
  });

  test("a request of a schedule whose cancel was acknowledged", () => {
    const facts = evidence();
    facts.arrivals.push({ id: "sch_cancelled", arrival: arrivalOf("sch_cancelled", {}) });
    expect(namesOf(facts)).toContain("a cancelled schedule is never sent");
  });

  test.each(["X-Service-Signature", "webhook-signature", "webhook-timestamp", "webhook-id"])(
    "a request without %s",
    (name) => {
      const facts = evidence();
      first(facts).headers = without(name);
      expect(namesOf(facts)).toContain("both signatures of every request verify");
    },
  );

  test("both signatures when they were made with another secret", () => {
    const broken = verify({ ...evidence(), signingSecret: `whsec_${randomBytes(32).toString("base64")}` });
    expect(broken.map(({ expectation }) => expectation)).toEqual(["both signatures of every request verify"]);
    expect(broken[0]?.found.filter((one) => one.includes("webhook-signature"))).toHaveLength(5);
    expect(broken[0]?.found.filter((one) => one.includes("X-Service-Signature"))).toHaveLength(5);
  });

  test.each([
    ["every schedule ends as planned", { schedule: { status: "dead" } }],
    ["every schedule ends as planned", { attempts: [] }],
    ["the service records what happened", { schedule: { offset_ms: -1 } }],
    ["the service records what happened", { schedule: { attempts: 7 } }],
    ["the service records what happened", { schedule: { fire_at: iso(DUE_MS + 1) } }],
    ["the service records what happened", { schedule: { has_payload: false } }],
  ])('a breach of "%s" when the service reports %o', (expectation, { schedule = {}, attempts }: Otherwise) => {
    const facts = evidence();
    const outcome = facts.outcomes[0] as Outcome;
    Object.assign(outcome.schedule as object, schedule);
    if (attempts) outcome.attempts = attempts;
    expect(namesOf(facts)).toContain(expectation);
  });

  test("a schedule that the service does not list", () => {
    const facts = evidence();
    (facts.outcomes[0] as Outcome).schedule = null;
    expect(namesOf(facts)).toContain("every schedule ends as planned");
  });

  test("a private target that was accepted", () => {
    const facts = evidence();
    (facts.refusals[0] as Evidence["refusals"][number]).answer = answer(201, {});
    expect(namesOf(facts)).toEqual(["a target that is not allowed is refused at creation"]);
  });

  test("a repeated creation that made a second schedule, and a cancel that was refused", () => {
    const facts = evidence();
    const [plain, , , cancelled] = facts.outcomes as [Outcome, Outcome, Outcome, Outcome];
    plain.repeated = answer(201, { id: "sch_second" });
    cancelled.changed = answer(409, {});
    expect(namesOf(facts)).toEqual([
      "a repeated creation finds the schedule of its idempotency key",
      "a cancel or reschedule in time is acknowledged",
      "every schedule ends as planned",
    ]);
  });
});

describe("a machine that is slower than the plan", () => {
  test.each([
    ["a creation", 400, "created"],
    ["a cancel", 409, "changed"],
    ["a cancel", 400, "changed"],
  ] as const)(
    "is no fault of the service: %s that was refused with %i once its instant had passed",
    (_, status, asked) => {
      const facts = evidence();
      const late = facts.outcomes.find(({ planned }) => planned.change?.kind === "cancel") as Outcome;
      const sent = delivered(late.planned.name, {});
      if (asked === "created") Object.assign(late, { schedule: null, changed: null });
      else {
        Object.assign(late, { schedule: sent.outcome.schedule, attempts: sent.outcome.attempts });
        facts.arrivals.push(...sent.arrivals);
      }
      late[asked] = answer(status, {}, DUE_MS);
      expect(verify(facts)).toEqual([]);
      expect(facts.outcomes.filter(cameTooLate)).toEqual([late]);

      late[asked] = answer(status, {}, DUE_MS - 1);
      expect(namesOf(facts)).toContain(
        asked === "created"
          ? "every schedule is created as it was asked for"
          : "a cancel or reschedule in time is acknowledged",
      );
      expect(facts.outcomes.filter(cameTooLate)).toEqual([]);
    },
  );

  test("has until the earlier of both instants for a reschedule", () => {
    const facts = evidence();
    const moved = facts.outcomes.find(({ planned }) => planned.change?.kind === "reschedule") as Outcome;
    moved.planned.change = { kind: "reschedule", atMs: DUE_MS - 2_000, fireAtMs: DUE_MS - 500 };
    moved.changed = answer(400, {}, DUE_MS - 500);
    expect(cameTooLate(moved)).toBe(true);
    moved.changed = answer(400, {}, DUE_MS - 501);
    expect(cameTooLate(moved)).toBe(false);
  });

  test.each([401, 429, 500, 503])("explains no answer %i", (status) => {
    const facts = evidence();
    const [plain, , , cancel] = facts.outcomes as [Outcome, Outcome, Outcome, Outcome];
    plain.created = answer(status, {}, DUE_MS + 1);
    cancel.changed = answer(status, {}, DUE_MS + 1);
    expect(facts.outcomes.filter(cameTooLate)).toEqual([]);
    expect(namesOf(facts)).toEqual(
      expect.arrayContaining([
        "every schedule is created as it was asked for",
        "a cancel or reschedule in time is acknowledged",
      ]),
    );
  });

  test("explains neither a request that arrived twice nor one after a cancel that was acknowledged late", () => {
    const facts = evidence();
    const cancel = facts.outcomes[3] as Outcome;
    cancel.changed = answer(200, { ...cancel.schedule, status: "cancelled" }, DUE_MS + 5);
    expect(verify(facts)).toEqual([]);
    facts.arrivals.push({ id: "sch_cancelled", arrival: arrivalOf("sch_cancelled", {}) });
    facts.arrivals.push(structuredClone(facts.arrivals[0] as Evidence["arrivals"][number]));
    expect(namesOf(facts)).toEqual(
      expect.arrayContaining(["a cancelled schedule is never sent", "every attempt arrives exactly once"]),
    );
  });
});

type Otherwise = { schedule?: Partial<Outcome["schedule"]>; attempts?: Outcome["attempts"] };

function evidence(): Evidence {
  const moved = DUE_MS + 500;
  const ended = [
    delivered("sch_plain", { isRepeated: true }),
    delivered("sch_flaky", { answers: [500, 500, 200] }, DUE_MS, [0, 1_100, 3_300]),
    delivered("sch_moved", { change: { kind: "reschedule", atMs: DUE_MS - 2_000, fireAtMs: moved } }, moved),
    cancelled("sch_cancelled"),
  ];
  const refusal: Evidence["refusals"][number] = {
    request: { targetUrl: "https://10.0.0.1/", fireAt: iso(DUE_MS) },
    answer: answer(400, { error: { code: "VALIDATION", message: "" } }),
  };
  return {
    signingSecret: SECRET,
    outcomes: ended.map(({ outcome }) => outcome),
    refusals: [refusal],
    arrivals: ended.flatMap(({ arrivals }) => arrivals),
  };
}

function delivered(id: string, changes: Partial<PlannedSchedule>, dueMs = DUE_MS, afterMs = [0]) {
  const planned = plan(id, changes);
  const sentAtMs = afterMs.map((ms) => dueMs + ms + 1);
  const attempts = planned.answers.map((status_code, index) => ({
    attempt: index + 1,
    status_code,
    error_text: "",
    attempted_at: iso(sentAtMs[index] as number),
    timing: { late: 1 },
  }));
  const schedule = {
    ...view(id, "succeeded", dueMs),
    fired_at: iso(dueMs + 1),
    offset_ms: 1,
    attempts: attempts.length,
  };
  const arrivals = planned.answers.map((answered, index) => ({
    id,
    arrival: arrivalOf(id, { answered, arrivedAtMs: (sentAtMs[index] as number) + 0.5 }, index + 1),
  }));
  const changed = planned.change ? answer(200, view(id, "scheduled", dueMs)) : null;
  const repeated = planned.isRepeated ? { ...answer(200, { id }), isReplay: true } : null;
  return { outcome: { planned, created: created(id), repeated, changed, schedule, attempts }, arrivals };
}

function cancelled(id: string) {
  const planned = plan(id, { change: { kind: "cancel", atMs: DUE_MS - 2_000 } });
  const schedule = view(id, "cancelled", DUE_MS);
  const outcome = {
    planned,
    created: created(id),
    repeated: null,
    changed: answer(200, schedule),
    schedule,
    attempts: [],
  };
  return { outcome, arrivals: [] };
}

function plan(id: string, changes: Partial<PlannedSchedule>): PlannedSchedule {
  const request: CreateRequest = {
    targetUrl: `${TARGET}/hook/${id}`,
    fireAt: iso(DUE_MS),
    method: "POST",
    payload: "payload",
    headers: { "X-Demo": "a b" },
  };
  return { name: id, request, fireAtMs: DUE_MS, isRepeated: false, change: null, answers: [200], ...changes };
}

function created(id: string) {
  return answer(201, { id, fire_at: iso(DUE_MS), status: "scheduled", over_limit: false });
}

function answer<Body>(status: number, body: Body, answeredAtMs = DUE_MS - 1_000) {
  return { status, isReplay: false, body, answeredAtMs };
}

function view(id: string, status: string, fireAtMs: number) {
  const none = { fired_at: null, offset_ms: null, attempts: 0 };
  return { id, status, fire_at: iso(fireAtMs), ...none, payload_size_bytes: 7, has_payload: true };
}

function arrivalOf(id: string, changes: Partial<Arrival>, attempt = 1): Arrival {
  const body = Buffer.from("payload");
  const seconds = Math.floor(DUE_MS / 1_000);
  const stripe = createHmac("sha256", SECRET).update(`${seconds}.`).update(body).digest("hex");
  return {
    method: "POST",
    path: `/hook/${id}`,
    headers: [
      ["X-Demo", "a b"],
      ["User-Agent", "Stopwatch/0.1.0"],
      ["X-Service-Schedule-Id", id],
      ["X-Service-Attempt", String(attempt)],
      ["X-Service-Signature", `t=${seconds},v1=${stripe}`],
      ["webhook-id", id],
      ["webhook-timestamp", String(seconds)],
      ["webhook-signature", new Webhook(SECRET).sign(id, new Date(seconds * 1_000), body)],
    ],
    body: body.toString("base64"),
    arrivedAtMs: DUE_MS + 1.5,
    answered: 200,
    ...changes,
  };
}

function first(facts: Evidence): Arrival {
  return (facts.arrivals[0] as Evidence["arrivals"][number]).arrival;
}

function arrivalOfAttempt(facts: Evidence, wanted: string, attempt: number): Arrival {
  return (facts.arrivals.filter(({ id }) => id === wanted)[attempt - 1] as Evidence["arrivals"][number]).arrival;
}

function without(name: string): Arrival["headers"] {
  return arrivalOf("sch_plain", {}).headers.filter(([one]) => one !== name);
}

function namesOf(facts: Evidence): string[] {
  return verify(facts).map(({ expectation }) => expectation);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
