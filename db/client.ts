import type postgres from "postgres";
import { type ConnectionError, describeConnectionProblem } from "#domain/connection-problem.ts";
import { type DatabaseAddress, parseDatabaseAddress } from "#domain/database-address.ts";
import { type DatabaseFault, describeFault, faultOfCode } from "#domain/database-fault.ts";
import { AppError } from "#domain/errors.ts";
import { connectionFailureOf, isOfConnection, openDriver } from "./driver.ts";
import { InstallationError } from "./installation-error.ts";
import { hasKnownSchema } from "./queries/fleet/schema-version.ts";
import { reachHost } from "./reach-host.ts";
import { refusedSession } from "./refused-session.ts";
import { DIRECT_SESSION } from "./sessions.ts";
import { WorkQueries } from "./work-queries.ts";

export type Sql = postgres.Sql;

/**
 * The database cannot do the work now, for the reason that `fault` names. Whether the work was done is unknown, unless
 * `changedNothing` is true.
 */
export class DatabaseUnavailable extends AppError {
  readonly fault: DatabaseFault;
  changedNothing = false;

  constructor(cause: unknown, fault: DatabaseFault = "unreachable") {
    super("UNAVAILABLE", describeFault(fault), { cause });
    this.fault = fault;
  }

  /** What operators are told: what callers are, and why the database cannot be reached. */
  get reason(): string {
    if (this.cause instanceof InstallationError) return this.cause.message;
    if (this.fault !== "unreachable") return this.publicMessage;
    const why = describeConnectionProblem(firstWithCode(this.cause));
    return why === undefined ? this.publicMessage : `${this.publicMessage} ${why}`;
  }

  /** Whether the server refused a statement: the transaction of that statement changed nothing. */
  get isRefused(): boolean {
    return REFUSALS.includes(this.fault) && isErrorOfStatement(this.cause);
  }
}

/** The error itself, or its first cause that has a code: a library may have wrapped it. */
function firstWithCode(error: unknown): ConnectionError {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  return code === undefined && cause !== undefined && cause !== error ? firstWithCode(cause) : Object(error);
}

const REFUSALS: readonly DatabaseFault[] = ["disk_full", "read_only", "privilege"];

/** An error ends the transaction, which rolls back. A fatal one ends the session, and its cause may be elsewhere. */
function isErrorOfStatement(error: unknown): boolean {
  const { severity, cause } = (error ?? {}) as { severity?: unknown; cause?: unknown };
  return severity === "ERROR" || (cause !== undefined && cause !== error && isErrorOfStatement(cause));
}

export type ConnectOptions = {
  url: string;
  /** Shown in pg_stat_activity. */
  name: string;
  connectionsMax: number;
  /** Whether to use prepared statements. A pooler in transaction mode does not allow them. */
  prepare?: boolean;
  /** After how many seconds without work a connection is closed, 300 by default. */
  idleSeconds?: number;
  /** Server settings of each session, sent as start-up parameters. DIRECT_SESSION by default, which others include. */
  session?: Record<string, string | number>;
  /**
   * For a pool that many callers share. When a call passes its deadline, only its statement is cancelled on the server,
   * and the pool stays. When the server does not answer the cancellation either, the pool takes no new calls and ends
   * with its last one.
   */
  cancelsLate?: boolean;
  /**
   * For a process that has started: that the server, or a pooler before it, refuses what a session is to begin with counts as
   * an outage, too. Somebody has changed a setting, and may change it back.
   */
  waitsWhenRefused?: boolean;
  /** Called when the database answered a call, with a result or with an error of its own. */
  onAnswered?: () => void;
  /** Called when the database could not do the work of a call. */
  onFailed?: (error: DatabaseUnavailable) => void;
};

/** `T` is what `work` gets: the driver, and in the web process drizzle on top of it. */
export type Database<T extends { sql: Sql } = { sql: Sql }> = {
  /**
   * Runs `work` within `deadlineMs`. Throws DatabaseUnavailable when the database cannot do it, or not by
   * then, and an InstallationError when the server, or a pooler before it, refuses what a session is to begin with (but
   * see `waitsWhenRefused`). Work of several steps may call `onProgress` after each step, which starts the deadline anew.
   * When `signal` is aborted, the deadline passes at once.
   */
  run<R>(deadlineMs: number, work: (db: T, onProgress: () => void) => Promise<R>, signal?: AbortSignal): Promise<R>;
  close(): Promise<void>;
};

/**
 * A small pool that never hangs. postgres.js waits for ever on a half-open connection, on a peer that accepts and
 * closes, and behind a busy pool. So each call has a deadline. When it passes, the pool is destroyed with its sockets,
 * and the next call starts a new one (but see `cancelsLate`).
 */
export function connect(options: ConnectOptions): Database {
  return connectWith(options, (sql) => ({ sql }));
}

type Hosts = DatabaseAddress["hosts"];

/** `usedAtMs`: when its last call ended, epoch ms. */
type Pool = { sql: Sql; calls: number; isRetired: boolean; usedAtMs: number };

/** As `connect`, but `work` gets what `wrap` makes from the driver for each call. */
export function connectWith<T extends { sql: Sql }>(options: ConnectOptions, wrap: (sql: Sql) => T): Database<T> {
  const { hosts } = parseDatabaseAddress(options.url);
  const hasHosts = hosts.length > 1;
  let pool: Pool | undefined;
  let reaching: Promise<Hosts> | undefined;
  let closed = false;

  const open = (order: Hosts): Pool => ({
    sql: openPool(options, order),
    calls: 0,
    isRetired: false,
    usedAtMs: Date.now(),
  });

  /** Opens the pool at the host that takes writes. Calls at the same time share the search, and for a while its failure. */
  const openAtHost = async (deadlineMs: number): Promise<void> => {
    const end = () => {
      reaching = undefined;
    };
    if (reaching === undefined) {
      reaching = reachHost(options.url, Math.min(deadlineMs, REACH_MS_MAX));
      reaching.then(end, () => setTimeout(end, REACH_AGAIN_MS).unref());
    }
    try {
      const order = await reaching;
      pool ??= open(order);
    } catch (error) {
      throw failed(error, faultOf(error) ?? "unreachable");
    }
  };

  const failed = (error: unknown, fault: DatabaseFault): Error => {
    const refused = refusedSession(error);
    if (refused && !options.waitsWhenRefused) return refused;
    const unavailable = new DatabaseUnavailable(refused ?? error, fault);
    options.onFailed?.(unavailable);
    return unavailable;
  };

  const discard = (lost: Pool) => {
    if (pool === lost) pool = undefined;
    lost.sql.end({ timeout: 0 }).catch(() => {});
  };

  const retire = (lost: Pool) => {
    if (pool === lost) pool = undefined;
    lost.isRetired = true;
  };

  const leave = (left: Pool) => {
    left.calls--;
    left.usedAtMs = Date.now();
    if (left.isRetired && left.calls === 0) discard(left);
  };

  return {
    async run(fullDeadlineMs, work, signal) {
      let deadlineMs = fullDeadlineMs;
      if (closed) throw new DatabaseUnavailable(new Error("the connection was closed"));
      // Its connections are closed by now, unless the process was suspended and no timer ran: then they may be dead.
      if (pool?.calls === 0 && Date.now() - pool.usedAtMs > idleSecondsOf(options) * 1_000) discard(pool);
      if (hasHosts && pool === undefined) {
        const beganAtMs = performance.now();
        await openAtHost(deadlineMs);
        deadlineMs -= performance.now() - beganAtMs;
      }
      pool ??= open(hosts);
      const current = pool;
      current.calls++;
      const queries = options.cancelsLate ? new WorkQueries(current.sql) : undefined;
      let timer: NodeJS.Timeout | undefined;
      const outcome = (async () => work(wrap(queries?.sql ?? current.sql), () => timer?.refresh()))();
      const deadline = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new DeadlinePassed(deadlineMs, options.name)), deadlineMs);
        const beganAtMs = performance.now();
        const giveUp = () => reject(new DeadlinePassed(Math.round(performance.now() - beganAtMs), options.name));
        signal?.addEventListener("abort", giveUp, { once: true });
      });
      try {
        const result = await Promise.race([outcome, deadline]);
        options.onAnswered?.();
        return result;
      } catch (error) {
        let why = error;
        if (error instanceof DeadlinePassed) {
          why = connectionFailureOf(current.sql) ?? error;
          outcome.catch(() => {});
          queries?.stop(error);
          if (queries === undefined) discard(current);
          else if (!(await endsSoon(outcome))) retire(current);
        }
        const { code } = error as { code?: string };
        // Its other connections may work.
        if (code === "CONNECT_TIMEOUT" && hasHosts) retire(current);
        const fault = faultOf(why) ?? (refusedSession(why) ? "unreachable" : await faultOfSchema(why, current.sql));
        // The server has become a standby: a new pool may find the one that takes writes.
        if (fault === "read_only") retire(current);
        if (fault !== undefined) throw failed(why, fault);
        options.onAnswered?.();
        throw error;
      } finally {
        clearTimeout(timer);
        leave(current);
      }
    },
    async close() {
      closed = true;
      await pool?.sql.end({ timeout: 2 });
    },
  };
}

/** How long the hosts of an address may take to answer, and how long the next search waits when none did, ms. */
const REACH_MS_MAX = 2_000;
const REACH_AGAIN_MS = 250;

const idleSecondsOf = ({ idleSeconds = 300 }: ConnectOptions) => idleSeconds;

function openPool(options: ConnectOptions, hosts: Hosts): Sql {
  return openDriver(options.url, {
    hosts,
    max: options.connectionsMax,
    prepare: options.prepare ?? true,
    connect_timeout: 4,
    idle_timeout: idleSecondsOf(options),
    max_lifetime: null,
    keep_alive: 15,
    backoff: (retries: number) => Math.min(0.05 * 2 ** retries, 2),
    // Arrays are sent as text, so the driver need not fetch types. If a connection broke while it fetched them, no call
    // would get the error.
    fetch_types: false,
    connection: { application_name: options.name, ...(options.session ?? DIRECT_SESSION) },
  });
}

/** How long the server may take to answer a cancellation, ms. */
const CANCEL_MS = 250;

function endsSoon(outcome: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), CANCEL_MS);
    const end = () => {
      clearTimeout(timer);
      resolve(true);
    };
    outcome.then(end, end);
  });
}

/** Whether a call failed because another session held a lock: by lock_timeout, or as the victim of a deadlock. */
export function isLockLost(error: unknown): boolean {
  const code = codeOfCall(error);
  return code === "55P03" || code === "40P01";
}

/** Whether a call failed because its statement took longer than statement_timeout. */
export const isStatementTimeout = (error: unknown): boolean => codeOfCall(error) === "57014";

function codeOfCall(error: unknown): string | undefined {
  return error instanceof DatabaseUnavailable ? (error.cause as { code?: string } | undefined)?.code : undefined;
}

class DeadlinePassed extends Error {
  /** `name`: of the pool, as in pg_stat_activity. It says which work is late. */
  constructor(deadlineMs: number, name: string) {
    super(`the database did not answer within ${deadlineMs} ms (${name})`);
  }
}

const NOT_SUPPORTED = "0A000";
/** Also what the server makes of EDQUOT, which it does not know (errcode_for_file_access in src/backend/utils/error/elog.c). */
const INTERNAL_ERROR = "XX000";

/**
 * Why the database could not do the work of a call that failed with `error`; undefined when the error says nothing about
 * the state of the database. Only an error of a statement may do so, and what refuses a session for its settings
 * (`refusedSession`): whatever else keeps a session from beginning, or ends it, is no mistake of ours.
 */
export function faultOf(error: unknown): DatabaseFault | undefined {
  if (error instanceof DatabaseUnavailable) return error.fault;
  if (error instanceof DeadlinePassed) return "timeout";
  const { code, routine, cause, message, severity, severity_local } = (error ?? {}) as Partial<
    Record<"code" | "routine" | "cause" | "message" | "severity" | "severity_local", unknown>
  >;
  if (code === INTERNAL_ERROR && /: Disk quota exceeded$/.test(String(message))) return "disk_full";
  // A standby has no unlogged tables. The message is in the server's language, the name of its function is not
  // (src/backend/optimizer/util/plancat.c).
  if (code === NOT_SUPPORTED && routine === "get_relation_info") return "read_only";
  const known = typeof code === "string" ? faultOfCode(code) : undefined;
  if (known !== undefined) return known;
  if (isOfConnection(error) || /^(FATAL|PANIC)$/.test(String(severity ?? severity_local)))
    return refusedSession(error) ? undefined : "unreachable";
  return typeof code !== "string" && cause !== undefined && cause !== error ? faultOf(cause) : undefined;
}

/** How long the database may take to say which migrations it has, ms. */
const SCHEMA_MS = 2_000;

/**
 * "schema" for an error that says that a column or a function is not there, when the tables are elsewhere or the database has
 * other migrations than this version knows. Undefined when it has the same: then it is a mistake of ours.
 */
async function faultOfSchema(error: unknown, sql: Sql): Promise<DatabaseFault | undefined> {
  if (!isUndefinedName(error)) return undefined;
  const late = new Promise<false>((resolve) => setTimeout(resolve, SCHEMA_MS, false).unref());
  try {
    return (await Promise.race([hasKnownSchema(sql), late])) ? undefined : "schema";
  } catch (failure) {
    return faultOf(failure) ?? "schema";
  }
}

/** A column, or a function. */
function isUndefinedName(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code !== "string") return cause !== undefined && cause !== error && isUndefinedName(cause);
  return code === "42703" || code === "42883";
}
