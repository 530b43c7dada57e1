/** Who holds the oldest snapshot that keeps dead rows of the database from being removed. */
export type SnapshotHolder = {
  /** A session, a prepared transaction, a standby that sends feedback, or a replication slot. */
  kind: "session" | "prepared" | "standby" | "slot";
  /** The name of the session's program, of the prepared transaction or of the slot; null where it has none. */
  name: string | null;
  /** Its process on the server; null where it has none. */
  pid: number | null;
  /** For how long, ms; null where the server does not tell. */
  heldMs: number | null;
  /** How many transactions began since. */
  transactions: number;
};

/** A snapshot that is held for this long is reported, ms; where its age is not known, after this many transactions. */
const REPORTED_MS = 600_000;
const REPORTED_TRANSACTIONS = 100_000;

/** Whether a snapshot is held for so long that an operator should know. */
export const isHeldLong = ({ heldMs, transactions }: SnapshotHolder): boolean =>
  heldMs === null ? transactions >= REPORTED_TRANSACTIONS : heldMs >= REPORTED_MS;

/** A sentence for operators: who holds the snapshot, and for how long. */
export function describeHolder({ kind, name, pid, heldMs, transactions }: SnapshotHolder): string {
  const long = heldMs === null ? `${transactions} transactions` : `${Math.floor(heldMs / 60_000)} min`;
  const details = [...(name === null ? [] : [name]), ...(pid === null ? [] : [`pid ${pid}`])].join(", ");
  return `${KINDS[kind]}${details && ` (${details})`} has held a snapshot for ${long}: no row that died since can be removed.`;
}

const KINDS: Record<SnapshotHolder["kind"], string> = {
  session: "A session",
  prepared: "A prepared transaction",
  standby: "A standby",
  slot: "A replication slot",
};

/** What an operator can do about it, a sentence. */
export function endHolder({ kind, name, pid }: SnapshotHolder): string {
  const quoted = `'${(name ?? "").replaceAll("'", "''")}'`;
  if (kind === "prepared") return `Commit it, or run: ROLLBACK PREPARED ${quoted}`;
  if (kind === "slot") return `Where nothing uses it any more, run: SELECT pg_drop_replication_slot(${quoted})`;
  if (kind === "standby") return "End the long query on the standby, or set hot_standby_feedback = off there.";
  return `Wait for its end, or run: SELECT pg_terminate_backend(${pid})`;
}
