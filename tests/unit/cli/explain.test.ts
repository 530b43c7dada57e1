import { expect, it } from "vitest";
import { explainSchedule } from "../../../cli/src/explain/explain-schedule.ts";
import type { Attempt, Attempts, Schedule } from "../../../sdk/src/types.ts";

const ID = "sch_01kbm5qk4f8rz3c2x7w9v6n1ta";
const NOW = Date.parse("2026-03-27T14:35:00Z");

const SCHEDULE: Schedule = {
  id: ID,
  target_url: "https://example.com/hook",
  method: "POST",
  status: "succeeded",
  fire_at: "2026-03-27T14:34:48.000Z",
  fired_at: "2026-03-27T14:34:48.002Z",
  offset_ms: 2,
  early_fire: false,
  attempts: 1,
  payload_size_bytes: 17,
  has_payload: true,
  next_attempt_at: null,
  last_status_code: 200,
  last_error: null,
  end_reason: null,
  delivery: null,
  replay_of: null,
  recurrence: null,
  occurrence_at: null,
  operation_id: null,
  created_at: "2026-03-27T14:00:00.000Z",
  updated_at: "2026-03-27T14:34:48.093Z",
};

const ATTEMPT: Attempt = {
  attempt: 1,
  status_code: 200,
  latency_ms: 84,
  error_text: "",
  attempted_at: "2026-03-27T14:34:48.002Z",
  via: null,
  timing: { late: 2.1, claim: 1.9, wait: 0, connect: 41.7, first_byte: 83.6 },
};

const FAILED = { ...ATTEMPT, status_code: 503, error_text: "try again later" };

const attempts = (...items: Attempt[]): Attempts => ({ items, next_attempt_at: null, retention_days: 7 });

const explain = (schedule: Partial<Schedule>, ...items: Attempt[]) =>
  explainSchedule({ ...SCHEDULE, attempts: items.length, ...schedule }, attempts(...items), NOW);

it("a delivery is told with each part of its time, the answer and the end", () => {
  expect(explain({}, ATTEMPT)).toEqual([
    `${ID} (POST https://example.com/hook) was delivered.`,
    "It was created at 2026-03-27 14:00:00.000 UTC, and due at 2026-03-27 14:34:48.000 UTC (12 s ago).",
    "Attempt 1, 2026-03-27 14:34:48.002 UTC: delivered, 200 after 84 ms.",
    "  It began 2.1 ms after it was due.",
    "  Name, TCP and TLS took 42 ms.",
    "  The database took 1.9 ms to hand it over (the claim).",
    "  These overlap, or lie in part before the instant, where they cost nothing.",
    "  The target began to answer 84 ms after the request's first byte had left.",
    "Next: nothing. It is done.",
  ]);
});

it("what no part explains is told as such, and what may be behind it when it is long", () => {
  const timing = { late: 3_002, claim: 2, wait: 2_000, connect: null, first_byte: 10 };
  expect(explain({}, { ...ATTEMPT, timing })).toEqual(
    expect.arrayContaining([
      "  It began 3 s after it was due.",
      "  It waited 2 s for the account's rate (cpsLimit).",
      "  The database took 2 ms to hand it over (the claim).",
      "  The other 1 s are none of these: no dispatcher ran, it was busy, its connections to this target were all in use, or the account was deactivated.",
    ]),
  );
  const short = { late: 4, claim: 1, wait: 0, connect: null, first_byte: 10 };
  expect(explain({}, { ...ATTEMPT, timing: short })).toContain("  The other 3 ms were the dispatcher's own work.");
});

it("a connection that was open, and a claim ahead of the instant, are told as such", () => {
  const timing = { late: 0.8, claim: 2.2, wait: 0, connect: null, first_byte: 0.7 };
  expect(explain({}, { ...ATTEMPT, latency_ms: 2, timing }).slice(3, -1)).toEqual([
    "  It began 0.8 ms after it was due.",
    "  The database took 2.2 ms to hand it over (the claim).",
    "  Part of that lay before the instant, where it costs nothing.",
    "  Its connection was open already.",
    "  The target began to answer 0.7 ms after the request's first byte had left.",
  ]);
});

it("an early one is told to be early", () => {
  const timing = { late: -12.3, claim: 1, wait: 0, connect: null, first_byte: 10 };
  expect(explain({ early_fire: true }, { ...ATTEMPT, timing })).toContain(
    "  It began 12 ms before it was due, which is its early firing.",
  );
});

it("a failure has what the target said, and when the next attempt comes", () => {
  const lines = explain({ status: "failed", next_attempt_at: "2026-03-27T14:36:30.000Z" }, FAILED);
  expect(lines).toContain("  The target said “try again later”.");
  expect(lines.slice(-2)).toEqual([
    "Next: an attempt at 2026-03-27 14:36:30.000 UTC (in 1 min 30 s).",
    `\`stopwatch cancel ${ID}\` stops it.`,
  ]);
});

it.each([
  [{ ...FAILED, status_code: 410 }, "the target answered 410 Gone"],
  [FAILED, "no retry was left"],
  [{ ...FAILED, error_text: "blocked: says the target" }, "no retry was left"],
  [
    { ...FAILED, status_code: null, error_text: "blocked: the target is not allowed" },
    "the target is not allowed, and a retry would not change that",
  ],
  [
    { ...FAILED, status_code: null, error_text: "interrupted: outcome unknown" },
    "three attempts in a row were interrupted",
  ],
])("a dead one says why no retry follows: %#", (attempt, why) => {
  expect(explain({ status: "dead" }, attempt)).toContain(`Why no retry follows: ${why}.`);
});

it.each([
  [401, "  Is it the signature? `stopwatch verify` takes the captured request and says what is wrong."],
  [302, "  Redirects are not followed: schedule the address that it leads to."],
])("an answer with a usual cause has a hint: %s", (status_code, hint) => {
  expect(explain({ status: "failed" }, { ...FAILED, status_code })).toContain(hint);
});

it("without an answer the reason stands for it, and what to look at", () => {
  const error_text = "connection: ECONNREFUSED";
  const lines = explain({ status: "failed" }, { ...FAILED, status_code: null, latency_ms: 0, error_text });
  expect(lines).toContain("Attempt 1, 2026-03-27 14:34:48.002 UTC: no answer (connection: ECONNREFUSED).");
  expect(lines).toContain("  Nothing listens at the target's port.");
});

it("a test delivery through a listener says so, and what to start when none was there", () => {
  const [, , head, ...inside] = explain({}, { ...ATTEMPT, via: "listener" });
  expect(inside.join("\n")).not.toContain("connection");
  expect(head).toBe("Attempt 1, 2026-03-27 14:34:48.002 UTC through `stopwatch listen`: delivered, 200 after 84 ms.");
  const error_text = "unreachable: no listener is connected";
  const lines = explain({ status: "failed" }, { ...FAILED, status_code: null, error_text });
  expect(lines).toContain("  Start `stopwatch listen`: the retry then reaches this machine.");
});

it("text of the target cannot steer a terminal, pretend to be a line, or run on", () => {
  const error_text = `\u001b]0;title\u0007\u001b[2Jred\r\nNext: all is well\u202Egnp${"x".repeat(500)}`;
  const [said] = explain({ status: "failed" }, { ...FAILED, error_text }).filter((line) => line.includes("said"));
  expect(said).toMatch(/^ {2}The target said “\]0;title \[2Jred Next: all is well gnpx{150,}…”\.$/);
  expect(Array.from(said as string).length).toBeLessThan(230);
});

it("a schedule that should have gone names what holds it", () => {
  const lines = explain({ status: "scheduled", attempts: 0, fire_at: "2026-03-27T14:34:30.000Z" });
  expect(lines.at(-1)).toBe(
    "Next: an attempt as soon as possible. It has been due for 30 s: it waits for the account's rate, or no dispatcher runs. `stopwatch doctor` tells.",
  );
});

it("attempts that the log has no more are counted, but not the one under way", () => {
  expect(explain({ attempts: 3 }, ATTEMPT)).toContain("2 attempts are not shown: the log keeps 7 days.");
  const firing = explain({ attempts: 2, status: "firing" }, FAILED);
  expect(firing.join()).not.toContain("not shown");
  expect(firing.at(-1)).toContain("Next: its attempt ends within 30 s.");
});

it("times are in the zone that was asked for", () => {
  const lines = explainSchedule(SCHEDULE, attempts(ATTEMPT), NOW, { zone: "Europe/Berlin" });
  expect(lines[1]).toContain("due at 2026-03-27 15:34:48.000 Europe/Berlin");
});
