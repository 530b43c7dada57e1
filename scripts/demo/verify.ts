import type { Outcome, Refusal } from "./carry-out.ts";
import type { AttemptView } from "./client.ts";
import type { Arrival } from "./receiver.ts";
import type { Arrivals } from "./receiver-process.ts";
import { findSignatureFaults } from "./signatures.ts";

/** Everything the demo knows in the end: what it requested, what the API answered, and what the receiver saw. */
export type Evidence = {
  /** The current signing secret. */
  signingSecret: string;
  outcomes: Outcome[];
  refusals: Refusal[];
  arrivals: Arrivals;
};

export type Broken = { expectation: Expectation; found: string[] };

export type Expectation = keyof typeof EXPECTATIONS;

/**
 * Whether its creation or its change was refused because its instant had passed. That refusal is right: the demo's machine
 * is slower than the plan.
 */
export function cameTooLate(outcome: Outcome): boolean {
  return isCreatedTooLate(outcome) || isChangedTooLate(outcome);
}

function isCreatedTooLate({ planned, created }: Outcome): boolean {
  return created.status === 400 && created.answeredAtMs >= planned.fireAtMs;
}

function isChangedTooLate({ planned: { change, fireAtMs }, changed }: Outcome): boolean {
  if (!change || (changed?.status !== 400 && changed?.status !== 409)) return false;
  return changed.answeredAtMs >= (change.kind === "cancel" ? fireAtMs : Math.min(fireAtMs, change.fireAtMs));
}

/**
 * Compares what was requested, what arrived and what the API shows. Returns the expectations that do not hold. It expects
 * neither a schedule whose creation came too late, nor a change that did.
 */
export function verify(evidence: Evidence): Broken[] {
  const outcomes = evidence.outcomes
    .filter((outcome) => !isCreatedTooLate(outcome))
    .map((outcome) => (isChangedTooLate(outcome) ? withoutChange(outcome) : outcome));
  const facts = { ...evidence, outcomes, deliveries: outcomes.map((outcome) => deliveryOf(outcome, evidence)) };
  return Object.entries(EXPECTATIONS).flatMap(([expectation, findFaults]) => {
    const found = findFaults(facts);
    return found.length === 0 ? [] : [{ expectation: expectation as Expectation, found }];
  });
}

/** Whether its cancel was acknowledged. */
export function isCancelled({ planned, changed }: Outcome): boolean {
  return planned.change?.kind === "cancel" && changed?.status === 200;
}

/** The instant at which it was first due, after an acknowledged reschedule; epoch ms. */
export function dueAtMs({ planned, changed }: Outcome): number {
  return planned.change?.kind === "reschedule" && changed?.status === 200 ? planned.change.fireAtMs : planned.fireAtMs;
}

/** One schedule, and its requests in the order of their attempt numbers. */
type Delivery = { outcome: Outcome; requests: { attempt: number; arrival: Arrival }[] };

type Facts = Evidence & { deliveries: Delivery[] };

const EXPECTATIONS = {
  "every schedule is created as it was asked for": findBadCreations,
  "a repeated creation finds the schedule of its idempotency key": findBadRepeats,
  "a target that is not allowed is refused at creation": findMissedRefusals,
  "a cancel or reschedule in time is acknowledged": findRefusedChanges,
  "a cancelled schedule is never sent": findSentAfterCancel,
  "every schedule ends as planned": findBadEndings,
  "every attempt arrives exactly once": findLostAndDuplicate,
  "every request arrives as it was written": findChangedRequests,
  "both signatures of every request verify": findBadSignatures,
  "no request arrives early": findEarly,
  "the service records what happened": findBadRecords,
} satisfies Record<string, (facts: Facts) => string[]>;

/** The base of the demo's retries: the least time between a failure and the next attempt. */
const BACKOFF_MS = 1_000;
/** How much the clock readings of two processes may differ. */
const CLOCK_MS = 10;

function findBadCreations({ outcomes }: Facts): string[] {
  return outcomes.flatMap(({ planned, created: { status, body } }) => {
    if (status !== 201) return [`${planned.name}: ${status} ${body.error?.message ?? ""}`];
    const fireAt = new Date(planned.fireAtMs).toISOString();
    const asAsked = body.id?.startsWith("sch_") && body.fire_at === fireAt && body.status === "scheduled";
    return asAsked && body.over_limit === false ? [] : [`${planned.name}: answered ${JSON.stringify(body)}`];
  });
}

function findBadRepeats({ outcomes }: Facts): string[] {
  return outcomes.flatMap(({ planned, created, repeated }) =>
    !repeated || (repeated.status === 200 && repeated.isReplay && repeated.body.id === created.body.id)
      ? []
      : [`${planned.name}: ${repeated.status} with ${repeated.body.id} instead of ${created.body.id}`],
  );
}

function findMissedRefusals({ refusals }: Facts): string[] {
  return refusals.flatMap(({ request, answer: { status, body } }) =>
    status === 400 && body.error?.code === "VALIDATION" ? [] : [`${request.targetUrl}: ${status} ${body.error?.code}`],
  );
}

function findRefusedChanges({ outcomes }: Facts): string[] {
  return outcomes.flatMap(({ planned: { name, change }, changed }) => {
    if (!change) return [];
    if (changed?.status !== 200) return [`${name}, ${change.kind}: ${changed?.status} ${changed?.body.error?.message}`];
    const asAsked =
      change.kind === "cancel"
        ? changed.body.status === "cancelled"
        : changed.body.fire_at === new Date(change.fireAtMs).toISOString();
    return asAsked ? [] : [`${name}, ${change.kind}: answered ${JSON.stringify(changed.body)}`];
  });
}

function findSentAfterCancel({ deliveries }: Facts): string[] {
  return deliveries.flatMap(({ outcome, requests }) =>
    isCancelled(outcome) && requests.length > 0 ? [`${outcome.planned.name}: arrived ${requests.length} times`] : [],
  );
}

function findBadEndings({ outcomes }: Facts): string[] {
  return outcomes.flatMap((outcome) => {
    const { planned, schedule, attempts } = outcome;
    const wanted = isCancelled(outcome)
      ? { status: "cancelled", answers: [] }
      : { status: "succeeded", answers: planned.answers };
    const codes = attempts.map((attempt) => attempt.status_code).join(", ");
    return schedule?.status === wanted.status && codes === wanted.answers.join(", ")
      ? []
      : [
          `${planned.name}: ${schedule?.status ?? "unknown to the service"}, attempts: ${attempts.map(inWords).join("; ")}`,
        ];
  });
}

function inWords({ status_code, error_text }: AttemptView): string {
  return `${status_code ?? "no answer"} ${error_text}`.trim();
}

function findLostAndDuplicate({ deliveries, arrivals }: Facts): string[] {
  const known = new Set(deliveries.map(({ outcome }) => outcome.created.body.id));
  const strangers = arrivals.filter(({ id }) => !known.has(id)).map(({ id }) => `a request of ${id}, which is unknown`);
  return [
    ...strangers,
    ...deliveries.flatMap(({ outcome: { planned, attempts }, requests }) => {
      const numbers = new Set([...attempts, ...requests].map(({ attempt }) => attempt));
      return [...numbers].flatMap((number) => {
        const recorded = attempts.filter(({ attempt }) => attempt === number).length;
        const arrived = requests.filter(({ attempt }) => attempt === number).length;
        if (recorded === 1 && arrived === 1) return [];
        return [`${planned.name}, attempt ${number}: recorded ${recorded} times, arrived ${arrived} times`];
      });
    }),
  ];
}

function findChangedRequests({ deliveries }: Facts): string[] {
  return eachArrival(deliveries, ({ outcome: { planned, created }, arrival }) => {
    const { method = "POST", targetUrl, payload = "", headers = {} } = planned.request;
    const { origin } = new URL(targetUrl);
    const faults: string[] = [];
    if (arrival.method !== method) faults.push(`method ${arrival.method} instead of ${method}`);
    if (origin + arrival.path !== targetUrl) faults.push(`path ${arrival.path}`);
    if (!Buffer.from(arrival.body, "base64").equals(Buffer.from(payload))) faults.push("the body has other bytes");
    const wanted = { ...headers, "X-Service-Schedule-Id": created.body.id };
    for (const [name, value] of Object.entries(wanted)) {
      const came = valuesOf(arrival, name);
      if (came.length !== 1 || came[0] !== value) faults.push(`${name}: ${JSON.stringify(came)}`);
    }
    const own = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
    if (!own.has("user-agent") && !header(arrival, "user-agent").startsWith("Stopwatch/")) faults.push("user-agent");
    if (!own.has("content-type") && valuesOf(arrival, "content-type").length > 0)
      faults.push("a content-type was added");
    return faults;
  });
}

function findBadSignatures({ deliveries, signingSecret }: Facts): string[] {
  return eachArrival(deliveries, ({ arrival }) =>
    findSignatureFaults(
      signingSecret,
      Buffer.from(arrival.body, "base64"),
      {
        "webhook-id": header(arrival, "webhook-id"),
        "webhook-timestamp": header(arrival, "webhook-timestamp"),
        "webhook-signature": header(arrival, "webhook-signature"),
        "x-service-signature": header(arrival, "x-service-signature"),
      },
      arrival.arrivedAtMs,
    ),
  );
}

function findEarly({ deliveries }: Facts): string[] {
  return deliveries.flatMap(({ outcome, requests }) =>
    requests.flatMap(({ attempt, arrival }, index) => {
      const former = requests[index - 1];
      const dueMs = former ? former.arrival.arrivedAtMs + BACKOFF_MS * 2 ** (index - 1) : dueAtMs(outcome);
      const earlyMs = dueMs - arrival.arrivedAtMs;
      return earlyMs > 0 ? [`${outcome.planned.name}, attempt ${attempt}: ${earlyMs.toFixed(3)} ms early`] : [];
    }),
  );
}

function findBadRecords({ deliveries }: Facts): string[] {
  return deliveries.flatMap(({ outcome, requests }) => {
    const { planned, schedule, attempts } = outcome;
    if (!schedule) return [];
    const faults: string[] = [];
    const size = Buffer.byteLength(planned.request.payload ?? "");
    if (schedule.payload_size_bytes !== size || schedule.has_payload !== size > 0) faults.push("payload size");
    if (Date.parse(schedule.fire_at) !== dueAtMs(outcome)) faults.push(`fire_at ${schedule.fire_at}`);
    if (schedule.attempts !== attempts.length) faults.push(`counts ${schedule.attempts} attempts`);
    if (schedule.fired_at !== (attempts[0]?.attempted_at ?? null)) faults.push(`fired_at ${schedule.fired_at}`);
    const offsetMs = schedule.fired_at && Date.parse(schedule.fired_at) - Date.parse(schedule.fire_at);
    if (schedule.offset_ms !== offsetMs || (offsetMs ?? 0) < 0) faults.push(`offset_ms ${schedule.offset_ms}`);
    for (const { attempt, arrival } of requests) {
      const recorded = attempts.find((one) => one.attempt === attempt);
      if (!recorded) continue;
      if (recorded.status_code !== arrival.answered) faults.push(`attempt ${attempt}: code ${recorded.status_code}`);
      if (Date.parse(recorded.attempted_at) > arrival.arrivedAtMs + CLOCK_MS)
        faults.push(`attempt ${attempt}: its time`);
    }
    return faults.map((fault) => `${planned.name}: ${fault}`);
  });
}

function withoutChange(outcome: Outcome): Outcome {
  return { ...outcome, planned: { ...outcome.planned, change: null }, changed: null };
}

function deliveryOf(outcome: Outcome, { arrivals }: Evidence): Delivery {
  const requests = arrivals
    .filter(({ id }) => id === outcome.created.body.id)
    .map(({ arrival }) => ({ attempt: Number(header(arrival, "x-service-attempt")), arrival }))
    .sort((a, b) => a.attempt - b.attempt || a.arrival.arrivedAtMs - b.arrival.arrivedAtMs);
  return { outcome, requests };
}

function eachArrival(
  deliveries: Delivery[],
  findFaults: (one: { outcome: Outcome; arrival: Arrival }) => string[],
): string[] {
  return deliveries.flatMap(({ outcome, requests }) =>
    requests.flatMap(({ attempt, arrival }) =>
      findFaults({ outcome, arrival }).map((fault) => `${outcome.planned.name}, attempt ${attempt}: ${fault}`),
    ),
  );
}

function header(arrival: Arrival, name: string): string {
  return valuesOf(arrival, name).join(", ");
}

function valuesOf(arrival: Arrival, name: string): string[] {
  return arrival.headers.filter(([one]) => one.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
}
