import type { WorkerProcess } from "./worker-process.ts";

/** A job with its instant, epoch ms, and where it goes. */
export type Job = { n: number; account: number; dueAtMs: number; url: string; body: string };

/** What every engine is given. */
export type Bench = {
  /** Makes an empty database on the server of this run. */
  createDatabase(): Promise<{ url: string; drop(): Promise<void> }>;
  /** A folder for this run's files. */
  folder: string;
  caFile: string;
  ca: string;
  /** `https://localhost:<port>` of the receiver, of its part that never answers, and of the one that answers late. */
  origin: string;
  hangingOrigin: string;
  slowOrigin: string;
  /** Ports of the receiver that are reached under many names, by plain HTTP. */
  manyPorts: readonly number[];
};

/** An engine with a store of its own, empty at first. */
export type OpenEngine = {
  /** Starts that many processes that deliver, and waits until they do. They are to know the first `names` of the many origins. */
  start(workers: number, names?: number): Promise<WorkerProcess[]>;
  /** Stores jobs. `closedLoop`: one without a store starts the next one whenever one has ended. */
  enqueue(jobs: Job[], closedLoop?: boolean): Promise<void>;
  /** Stores many jobs that fall due before the others, by the shortest way; where there is none, `enqueue` does. */
  enqueueOverdue?(jobs: Job[]): Promise<void>;
  /** How many jobs were delivered and are committed as such. */
  finished(): Promise<number>;
  /** Stores `rows` that are due much later. */
  addBacklog(rows: number): Promise<void>;
  close(): Promise<void>;
};

export type Engine = {
  name: string;
  /** How it is set up, in a few words, for the table. */
  settings: string;
  /** How long before its instant a job is taken from the store. */
  claimLead: string;
  /** Jobs a second that it surely stays below: so many are stored for the saturation. */
  perSecondMax: number;
  /** Whether it has a store; one without has nothing to commit, no backlog and no second process. */
  stores: boolean;
  /** Why it cannot run on this machine. */
  absent?(): Promise<string | undefined>;
  open(bench: Bench): Promise<OpenEngine>;
};
