import postgres from "postgres";
import { AppError } from "#domain/errors.ts";
import { tlsOf } from "./tls.ts";

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
 * sockets and the next call starts on a new one.
 */
export function connect(options: ConnectOptions): Connection {
  return connectWith(options, (sql) => ({ sql }));
}

/** As `connect`; `wrap` adds to each new pool what works on it. */
export function connectWith<T extends { sql: Sql }>(options: ConnectOptions, wrap: (sql: Sql) => T): Connection<T> {
  let pool: T | undefined;
  let closed = false;

  const open = () => {
    const sql = postgres(options.url, {
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
    return wrap(sql);
  };

  const discard = (lost: { sql: Sql }) => {
    if (pool?.sql === lost.sql) pool = undefined;
    lost.sql.end({ timeout: 0 }).catch(() => {});
  };

  return {
    async run(deadlineMs, work) {
      if (closed) throw new DatabaseUnavailable(new Error("the connection was closed"));
      pool ??= open();
      const current = pool;
      let timer: NodeJS.Timeout | undefined;
      const outcome = work(current, () => timer?.refresh());
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
          discard(current);
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
      }
    },
    async close() {
      closed = true;
      await pool?.sql.end({ timeout: 2 });
    },
  };
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
