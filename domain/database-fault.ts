/** What keeps a database from doing the work of a call now. These words are the label `kind` of the metrics, and in the log. */
export type DatabaseFault =
  | "unreachable"
  | "timeout"
  | "conflict"
  | "disk_full"
  | "out_of_memory"
  | "too_many_connections"
  | "resources"
  | "read_only"
  | "privilege"
  | "login"
  | "schema"
  | "settings"
  | "files";

/** A sentence for callers and operators, and for faults that do not pass by themselves what an operator can do. */
const WORDS = {
  unreachable: ["The database cannot be reached right now."],
  timeout: ["The database did not answer in time."],
  conflict: ["The database is busy with other work on the same rows."],
  disk_full: [
    "The database cannot store anything right now: its disk is full.",
    "An operator has to free space or enlarge the disk.",
  ],
  out_of_memory: [
    "The database is out of memory right now.",
    "If that lasts, an operator has to give its server more memory.",
  ],
  too_many_connections: [
    "The database takes no more connections right now.",
    "If that lasts, an operator has to raise max_connections or use a pooler.",
  ],
  resources: [
    "The database has reached a limit of its server.",
    "If that lasts, the log has the limit, which an operator has to raise.",
  ],
  read_only: [
    "The database takes no writes right now.",
    "If that lasts, an operator has to name the primary in DATABASE_URL or end default_transaction_read_only.",
  ],
  privilege: [
    "The database does not permit this work to the role of the service.",
    "An operator has to give the role its rights again; the log has which one is missing.",
  ],
  login: [
    "The database refuses the login of the service.",
    "An operator has to correct DATABASE_URL, or the role or database that it names.",
  ],
  schema: [
    "The database does not show the service its tables.",
    "An operator has to set search_path so that it leads to the schema of the tables, or run npm run migrate.",
  ],
  settings: [
    "The database answers in a form that the service does not read, so what became of the call is unknown.",
    "An operator has to undo what was changed in its settings: /readyz names the setting.",
  ],
  files: [
    "The database cannot read or write its files.",
    "An operator has to look into the log and the disk of its server, and restore a backup where data is damaged: npm run restore, or as its host says.",
  ],
} as const satisfies Record<DatabaseFault, readonly [says: string, hint?: string]>;

/** All kinds of fault. */
export const DATABASE_FAULTS = Object.keys(WORDS) as DatabaseFault[];

/** What a fault is, in a sentence, and what an operator can do about it, in a second one. */
export const describeFault = (fault: DatabaseFault): string => WORDS[fault].join(" ");

/**
 * The fault that an error code of the server (SQLSTATE), the driver or the system means; undefined for a code that by itself
 * says nothing about the state of the database, such as that of a violated constraint. Source: PostgreSQL documentation,
 * appendix A; errcode_for_file_access in src/backend/utils/error/elog.c.
 */
export function faultOfCode(code: string): DatabaseFault | undefined {
  return FAULTS.find(([codes]) => codes.test(code))?.[1];
}

const FAULTS: readonly [codes: RegExp, fault: DatabaseFault][] = [
  [
    /^(EMFILE|ENFILE|ENOBUFS|EADDRNOTAVAIL|ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|CONNECTION_|CONNECT_TIMEOUT)/,
    "unreachable",
  ],
  // Connection exceptions, and a server that stops or starts.
  [/^(08...|57P..)$/, "unreachable"],
  // The statement's limit, and those of transactions.
  [/^(57014|25P03|25P04)$/, "timeout"],
  [/^(55P03|40001|40P01)$/, "conflict"],
  [/^53100$/, "disk_full"],
  [/^53200$/, "out_of_memory"],
  [/^53300$/, "too_many_connections"],
  [/^53...$/, "resources"],
  [/^25006$/, "read_only"],
  [/^42501$/, "privilege"],
  [/^(28...|3D000)$/, "login"],
  // A schema or a table that is not there. A column or a function that is not there may be a mistake of ours.
  [/^(3F000|42P01)$/, "schema"],
  [/^UNREADABLE_ANSWER$/, "settings"],
  // Failures of the file system, and pages of tables and indexes that are damaged.
  [/^(58...|XX00[12])$/, "files"],
];
