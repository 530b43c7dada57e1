import type { Expired } from "./expired-rows.ts";
import type { WorkerProcess } from "./worker-process.ts";

/** A job with its instant, epoch ms, and its target. */
export type Job = { n: number; account: number; dueAtMs: number; url: string; body: string };

/** What the bench passes to every engine. */
export type Bench = {
  serverUrl: string;
  /** Creates an empty database on the server of this run. */
  createDatabase(): Promise<{ url: string; drop(): Promise<void> }>;
  /** A folder for the files of this run. */
  folder: string;
  /** Where Stopwatch's dispatchers write CPU profiles when they stop; undefined when none are wanted. */
  profiles: string | undefined;
  caFile: string;
  ca: string;
  /**
   * `https://localhost:<port>` of three parts of the receiver: the one that answers, the one that never answers, and
   * the one that answers late.
   */
  origin: string;
  hangingOrigin: string;
  slowOrigin: string;
  /** Ports of the receiver that are reached under many names over plain HTTP. */
  manyPorts: readonly number[];
};

/** An engine with a store of its own, which is empty at first. */
export type OpenEngine = {
  /**
   * Starts this many delivering processes and waits until they are ready. They must be able to resolve the first
   * `names` of the many origins.
   */
  start(workers: number, names?: number): Promise<WorkerProcess[]>;
  /** Stores jobs. With `closedLoop`, an engine without a store starts the next job whenever one has ended. */
  enqueue(jobs: Job[], closedLoop?: boolean): Promise<void>;
  /**
   * Stores many jobs that fall due before the others, in the fastest way there is. Without this function, `enqueue`
   * stores them.
   */
  enqueueOverdue?(jobs: Job[]): Promise<void>;
  /** How many jobs were delivered and committed as delivered. */
  finished(): Promise<number>;
  /** Since the processes were started: rows read ahead for one attempt that ended, and claims that were put back. */
  counters?(): Promise<{ rowsRead: number; released: number }>;
  /** Stores `rows` jobs that are due much later. */
  addBacklog(rows: number): Promise<void>;
  /** Stores schedules whose retention is over. */
  addExpired?(rows: { rows: number; expired: Expired }): Promise<void>;
  /** How many requests retention has erased or deleted so far. */
  takenByRetention?(): Promise<number>;
  close(): Promise<void>;
};

export type Engine = {
  name: string;
  /** A short description of its settings, for the table. */
  settings: string;
  /** How long before its instant a job is claimed from the store. */
  claimLead: string;
  /** What it leaves out of what Stopwatch does for a delivery, for the table; null when it leaves nothing out. */
  leavesOut: string | null;
  /** Whether it has a store. Without one it has nothing to commit, no backlog and no second process. */
  stores: boolean;
  /** Why it cannot run on this machine; undefined when it can. */
  absent?(): Promise<string | undefined>;
  open(bench: Bench): Promise<OpenEngine>;
};
