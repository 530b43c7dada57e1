import postgres from "postgres";
import { AppError } from "#domain/errors.ts";
import { tlsOf } from "./tls.ts";
import { WorkQueries } from "./work-queries.ts";

export type Sql = postgres.Sql;

/** The database did not answer in time, or cannot be reached: what was asked for may or may not have happened. */
export class DatabaseUnavailable extends AppError {
  constructor(cause: unknown) {
    super("UNAVAILABLE", "The database cannot be reached right now.", { cause });
  }
}

export type ConnectOptions = {
  url: string;
  /** Shown in pg_stat_activity. */
  name: string;
  connectionsMax: number;
  /** Off where a pooler in transaction mode stands between. */
  prepare?: boolean;
  /** Server settings of each session, as start-up parameters. */
  session?: Record<string, string | number>;
  /**
   * For a pool of many who should not notice each other: a call whose time is over has its statement cancelled and the
   * pool stays. When even that is not answered, the pool takes no new calls, and ends once those in it have ended.
   */
  cancelsLate?: boolean;
  /** Called when the database answered a call, also with an error that is not its own. */
  onAnswered?: () => void;
  /** Called when a call failed because the database is away, or ran into its deadline. */
  onFailed?: () => void;
};

/** `T` is what work is done with: the driver, and for the web process the query builder on it. */
export type Connection<T extends { sql: Sql } = { sql: Sql }> = {
  /**
   * Runs `work` within `deadlineMs`; throws DatabaseUnavailable when the database is away or does not answer by then.
   * Work of several steps may call `onProgress` after each: the time begins anew.
   */
  run<R>(deadlineMs: number, work: (db: T, onProgress: () => void) => Promise<R>): Promise<R>;
  close(): Promise<void>;
};

/**
 * A small pool that never hangs. postgres.js waits for ever on a half-open connection, on a peer that accepts and
 * closes, and behind a busy pool: so each call has a deadline, and when it passes, the pool is destroyed with its
 * sockets and the next call starts on a new one (but see `cancelsLate`).
 */
export function connect(options: ConnectOptions): Connection {
  return connectWith(options, (sql) => ({ sql }));
}

type Pool = { sql: Sql; calls: number; isRetired: boolean };

/** As `connect`; `wrap` adds to the driver, for each call, what works on it. */
export function connectWith<T extends { sql: Sql }>(options: ConnectOptions, wrap: (sql: Sql) => T): Connection<T> {
  let pool: Pool | undefined;
  let closed = false;

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
    if (left.isRetired && left.calls === 0) discard(left);
  };

  return {
    async run(deadlineMs, work) {
      if (closed) throw new DatabaseUnavailable(new Error("the connection was closed"));
      pool ??= { sql: openPool(options), calls: 0, isRetired: false };
      const current = pool;
      current.calls++;
      const queries = options.cancelsLate ? new WorkQueries(current.sql) : undefined;
      let timer: NodeJS.Timeout | undefined;
      const outcome = (async () => work(wrap(queries?.sql ?? current.sql), () => timer?.refresh()))();
      const deadline = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new DeadlinePassed(deadlineMs)), deadlineMs);
      });
      try {
        const result = await Promise.race([outcome, deadline]);
        options.onAnswered?.();
        return result;
      } catch (error) {
        if (error instanceof DeadlinePassed) {
          outcome.catch(() => {});
          queries?.stop(error);
          if (queries === undefined) discard(current);
          else if (!(await endsSoon(outcome))) retire(current);
        }
        // A standby: the next pool may find the server that takes writes.
        if ((error as { code?: string }).code === READ_ONLY) discard(current);
        if (!isUnavailable(error)) {
          options.onAnswered?.();
          throw error;
        }
        options.onFailed?.();
        throw new DatabaseUnavailable(error);
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

function openPool(options: ConnectOptions): Sql {
  return postgres(options.url, {
    max: options.connectionsMax,
    prepare: options.prepare ?? true,
    connect_timeout: 4,
    idle_timeout: 300,
    max_lifetime: null,
    keep_alive: 15,
    backoff: (retries: number) => Math.min(0.05 * 2 ** retries, 2),
    onnotice: () => {},
    // Arrays go as texts here; and nobody would hear of it if a connection broke while the driver asked for types.
    fetch_types: false,
    ...tlsOf(options.url),
    ...(severalHosts(options.url) && { target_session_attrs: "read-write" as const }),
    connection: { application_name: options.name, ...options.session },
  });
}

/** Time a server has for a cancellation, ms. */
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

/** Whether an address names several hosts, of which one takes writes. */
export const severalHosts = (url: string): boolean => /^[^/]*\/\/[^/?]*,/.test(url);

class DeadlinePassed extends Error {
  constructor(deadlineMs: number) {
    super(`the database did not answer within ${deadlineMs} ms`);
  }
}

const READ_ONLY = "25006";
const NETWORK =
  /^(EMFILE|ENFILE|ENOBUFS|EADDRNOTAVAIL|ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|CONNECTION_|CONNECT_TIMEOUT)/;

/**
 * Whether an error means that the database cannot do the work now: connection errors, SQLSTATE classes 08 (connection),
 * 53 (resources), 57P (shutdown), 58 (system), 57014 (our own statement_timeout), 55P03 (lock_timeout), 40001, 40P01
 * (to be retried), 25006 (a standby), and what refuses a connection: 3D000 (no such database), 28000 and 28P01 (login).
 * Source: PostgreSQL documentation, appendix A.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof DeadlinePassed || error instanceof DatabaseUnavailable) return true;
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === "string") {
    return (
      NETWORK.test(code) || /^(08...|53...|57P..|58...|57014|55P03|40001|40P01|25006|3D000|28000|28P01)$/.test(code)
    );
  }
  return cause !== undefined && cause !== error && isUnavailable(cause);
}
