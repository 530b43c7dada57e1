import type { Behaviour } from "./behaviour.ts";
import type { ReceiverOrigin } from "./origins.ts";

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
  accountId: string;
  /** `ordinary`, `control`, or the name of an adversary. */
  group: string;
  origin: string;
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

/** From when a process was started to when it was gone; Infinity while it lives. */
export type Lifetime = { pid: number; slot: number; fromMs: number; untilMs: number };

/** Open connections of each origin, counted by the receiver; it was held up for so long beforehand by the machine. */
export type SocketCount = { atMs: number; open: Record<ReceiverOrigin, number>; heldUpMs: number };

/** Connections that one dispatcher has to each origin of the receiver, open or being opened, as the system lists them. */
export type ProcessSockets = { atMs: number; pid: number; open: Partial<Record<ReceiverOrigin, number>> };

/** How many connections a dispatcher may have: for one account to one origin, for one account, to one origin, and in all. */
export type ConnectionBounds = { perAccountAndOrigin: number; perAccount: number; perOrigin: number; total: number };

export type Injected = {
  kind: "kill" | "terminate" | "pause" | "partition" | "postgres" | "sessions";
  /** The dispatcher it hit: the process alone, or whatever runs in the slot; null for all. */
  pid: number | null;
  slot: number | null;
  fromMs: number;
  /** Infinity for a process that was killed. */
  untilMs: number;
  /** When another process was started in its place, for one that was killed or terminated. */
  replacedAtMs?: number;
  /** An adversary did it: it makes a process die, and excuses nobody else. */
  byAdversary?: boolean;
  note: string;
};

/** What a dispatcher answered when it was asked to count anew what its deliveries hold. */
export type Audit = { pid: number; slot: number; atMs: number; drift: string[] };

export type Evidence = {
  /** When the load began. */
  startedAtMs: number;
  client: ClientEntry[];
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
