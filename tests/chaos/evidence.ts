import type { Behaviour } from "./behaviour.ts";

/** A change as the client saw it. `unknown`: no answer, so it may have happened or not, or happen yet. */
export type ChangeEntry = {
  kind: "cancel" | "reschedule";
  /** Where a reschedule moves it, epoch ms. */
  fireAtMs: number | null;
  askedAtMs: number;
  answeredAtMs: number;
  answer: "done" | "refused" | "unknown";
};

/** One acknowledged schedule, as the client knows it. Times in epoch ms by the clock of this machine. */
export type ClientEntry = {
  id: string;
  fireAtMs: number;
  acknowledgedAtMs: number;
  behaviour: Behaviour;
  bodyHash: string;
  changes: ChangeEntry[];
};

/** One request at the receiver. */
export type Arrival = {
  scheduleId: string;
  attempt: number;
  arrivedAtMs: number;
  /** When its answer was complete or its connection gone. */
  endedAtMs: number;
  /** The status code it was given; null for none. */
  given: number | null;
  bodyHash: string;
};

export type ScheduleRow = {
  id: string;
  status: string;
  fireAtMs: number;
  earlyFire: boolean;
  attempts: number;
  failures: number;
  interruptions: number;
};

export type AttemptRow = {
  scheduleId: string;
  attempt: number;
  outcome: string;
  statusCode: number | null;
  attemptedAtMs: number;
  latencyMs: number;
};

/** Each claim that was committed, from a log that a trigger keeps. */
export type ClaimRow = {
  scheduleId: string;
  attempt: number;
  dispatcherId: string;
  claimedAtMs: number;
  deadlineMs: number;
};

export type DispatcherProcess = { dispatcherId: string; pid: number; slot: number };

export type Injected = {
  kind: "kill" | "terminate" | "pause" | "partition" | "postgres" | "sessions";
  /** The dispatcher it hit: the process alone, or whatever runs in the slot; null for all. */
  pid: number | null;
  slot: number | null;
  fromMs: number;
  /** Infinity for a process that was killed. */
  untilMs: number;
  note: string;
};

/** What a dispatcher answered when it was asked to count anew what its deliveries hold. */
export type Audit = { pid: number; slot: number; atMs: number; drift: string[] };

export type Evidence = {
  client: ClientEntry[];
  arrivals: Arrival[];
  schedules: ScheduleRow[];
  attempts: AttemptRow[];
  claims: ClaimRow[];
  processes: DispatcherProcess[];
  injected: Injected[];
  audits: Audit[];
  retryPolicy: { retryAttempts: number; retryBackoffMs: number };
};
