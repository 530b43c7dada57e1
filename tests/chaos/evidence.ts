import type { LeftOut } from "#domain/recurrence-step.ts";
import type { Behaviour } from "./behaviour.ts";
import type { ReceiverOrigin } from "./origins.ts";

/**
 * A change as the client saw it. `unknown` means that no answer came: the change may have happened, may not have, or
 * may still happen.
 */
export type ChangeEntry = {
  kind: "cancel" | "reschedule" | "put";
  /** The new instant of a reschedule or a PUT, epoch ms. */
  fireAtMs: number | null;
  /** Of the new request of a PUT. */
  bodyHash?: string;
  askedAtMs: number;
  answeredAtMs: number;
  answer: "done" | "refused" | "unknown";
};

/** One acknowledged schedule as the client knows it. Times are epoch ms of this machine's clock. */
export type ClientEntry = {
  id: string;
  accountId: string;
  /** `ordinary`, `control`, `recurrence`, or the name of an adversary. */
  group: string;
  origin: string;
  fireAtMs: number;
  acknowledgedAtMs: number;
  behaviour: Behaviour;
  bodyHash: string;
  changes: ChangeEntry[];
};

/** An answered call that put, paused or resumed a recurrence. `unknown`: calls before it that said the same, without an answer. */
export type RecurrenceCall = {
  kind: "put" | "pause" | "resume";
  /** Of the new request of a PUT. */
  bodyHash?: string;
  /** Of the first of these calls. */
  askedAtMs: number;
  answeredAtMs: number;
  unknown: number;
};

/** A recurrence of every minute as its owner knows it; its occurrences fire `shareMs` after the minute. */
export type RecurrenceEntry = { id: string; key: string; accountId: string; shareMs: number; calls: RecurrenceCall[] };

/** A recurrence and its occurrences as the database holds them. */
export type RecurrenceRow = { id: string; leftOut: LeftOut[] };
export type OccurrenceRow = {
  scheduleId: string;
  recurrenceId: string;
  occurrenceAtMs: number;
  targetUrl: string;
  createdAtMs: number;
};

/** One request as the receiver saw it. */
export type Arrival = {
  scheduleId: string;
  attempt: number;
  /** When the receiver read its first bytes. */
  arrivedAtMs: number;
  /** Before this, its first bytes were not readable. */
  readableAfterMs: number;
  /** When its answer was complete or its connection closed. */
  endedAtMs: number;
  /** The status code of the answer; null when there was none. */
  statusCode: number | null;
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

/** Each committed claim, from a log that a trigger writes. */
export type ClaimRow = {
  scheduleId: string;
  attempt: number;
  dispatcherId: string;
  claimedAtMs: number;
  deadlineMs: number;
};

export type DispatcherProcess = { dispatcherId: string; pid: number; slot: number };

/** From the start of a process to its end; Infinity while it lives. */
export type Lifetime = { pid: number; slot: number; fromMs: number; untilMs: number };

/**
 * Open connections of each origin as the receiver counted them. `heldUpMs` says how late the machine ran the receiver's
 * own timer.
 */
export type SocketCount = { atMs: number; open: Record<ReceiverOrigin, number>; heldUpMs: number };

/** Connections of one dispatcher to each origin of the receiver, open or being opened, as the system lists them. */
export type ProcessSockets = { atMs: number; pid: number; open: Partial<Record<ReceiverOrigin, number>> };

/**
 * The maximum numbers of connections of one dispatcher: for one account to one origin, for one account, to one origin,
 * and in all.
 */
export type ConnectionBounds = { perAccountAndOrigin: number; perAccount: number; perOrigin: number; total: number };

export type Injected = {
  kind: "kill" | "terminate" | "pause" | "partition" | "postgres" | "sessions" | "snapshot";
  /** The dispatcher that was hit: one process (`pid`), or whatever runs in the slot; null when the fault hits all. */
  pid: number | null;
  slot: number | null;
  fromMs: number;
  /** Infinity for a process that was killed. */
  untilMs: number;
  /** When a killed or terminated process was replaced by another one. */
  replacedAtMs?: number;
  /** Done by an adversary. It explains that a process died, and excuses no other lateness. */
  byAdversary?: boolean;
  note: string;
};

/** The answer of a dispatcher that was asked to recount what its deliveries hold. */
export type Audit = { pid: number; slot: number; atMs: number; drift: string[] };

export type Evidence = {
  /** When the load began. */
  startedAtMs: number;
  client: ClientEntry[];
  recurring: RecurrenceEntry[];
  recurrences: RecurrenceRow[];
  occurrences: OccurrenceRow[];
  arrivals: Arrival[];
  schedules: ScheduleRow[];
  attempts: AttemptRow[];
  claims: ClaimRow[];
  processes: DispatcherProcess[];
  injected: Injected[];
  audits: Audit[];
  attacks: { adversary: string; fromMs: number; untilMs: number }[];
  lifetimes: Lifetime[];
  socketCounts: SocketCount[];
  processSockets: ProcessSockets[];
  bounds: ConnectionBounds;
  retryPolicy: { retryAttempts: number; retryBackoffMs: number };
};
