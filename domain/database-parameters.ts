/**
 * What the service does with a parameter of a database's address. Sources: PostgreSQL documentation, section 34.1.2
 * (parameters of libpq); the addresses that Neon, Supabase, Cloud SQL, RDS and Heroku show, and the documentation of Prisma,
 * node-postgres, SQLAlchemy and pgx.
 */
const USED = new Set([
  ...["host", "port", "user", "password", "dbname", "target_session_attrs"],
  ...["sslmode", "ssl", "sslrootcert", "sslcert", "sslkey", "sslnegotiation"],
  // Settings of the session: Neon and Supabase tell their endpoint or tenant by `options`.
  ...["options", "search_path"],
]);

/** For other drivers, or about what the service decides itself. */
const IGNORED = new Set([
  // Of libpq: they ask for what the driver has no choice in, or are tuning.
  ...[
    "channel_binding",
    "gssencmode",
    "gssdelegation",
    "gsslib",
    "krbsrvname",
    "sslcompression",
    "sslsni",
    "requirepeer",
  ],
  ...[
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_count",
    "tcp_user_timeout",
    "load_balance_hosts",
  ],
  ...["connect_timeout", "client_encoding", "application_name", "fallback_application_name", "passfile", "sslcertmode"],
  ...["ssl_min_protocol_version", "ssl_max_protocol_version", "min_protocol_version", "max_protocol_version"],
  // Of Prisma.
  ...["pgbouncer", "connection_limit", "pool_timeout", "schema", "socket_timeout", "statement_cache_size", "sslaccept"],
  ...["max_connection_lifetime", "max_idle_connection_lifetime", "single_use_connections"],
  // Of other clients, and of hosts for their own use.
  ...[
    "uselibpqcompat",
    "supa",
    "workaround",
    "prepareThreshold",
    "prepared_statements",
    "prepare",
    "currentSchema",
    "ApplicationName",
  ],
  ...[
    "pool_max_conns",
    "pool_min_conns",
    "pool_max_conn_lifetime",
    "pool_max_conn_idle_time",
    "pool_size",
    "pool",
    "max_overflow",
  ],
  ...[
    "default_query_exec_mode",
    "statement_cache_capacity",
    "prepared_statement_cache_size",
    "binary_parameters",
    "timezone",
  ],
  // The service sets its own.
  ...[
    "statement_timeout",
    "lock_timeout",
    "idle_in_transaction_session_timeout",
    "idle_session_timeout",
    "TimeZone",
    "datestyle",
  ],
]);

/**
 * Reads the parameters of an address: those that the service uses, and the names of those that it ignores. Throws an Error that
 * names each unknown one: it may be a misspelt one that matters, such as `sslmod`.
 */
export function readAddressParameters(given: URLSearchParams): {
  used: ReadonlyMap<string, string>;
  ignored: readonly string[];
} {
  const names = [...new Set(given.keys())];
  const unknown = names.filter((name) => !USED.has(name) && !IGNORED.has(name));
  if (unknown.length > 0) throw new Error(describeUnknown(unknown));
  // The last one counts, as in libpq.
  const used = new Map([...given].filter(([name]) => USED.has(name)));
  for (const name of ["sslmode", "ssl"] as const) {
    const value = used.get(name) ?? "";
    if (value !== "" && !MODES[name].includes(value)) throw new Error(describeMode(name, value));
  }
  if (!used.get("sslcert") !== !used.get("sslkey")) throw new Error("expected sslcert and sslkey, or neither");
  return { used, ignored: names.filter((name) => IGNORED.has(name)) };
}

const LIBPQ_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];
const MODES = { sslmode: LIBPQ_MODES, ssl: ["true", "false", ...LIBPQ_MODES] };

/** `no-verify` is node-postgres's word for what `require` means to libpq. */
function describeMode(name: "sslmode" | "ssl", value: string): string {
  const hint = value === "no-verify" ? "; no-verify is require here" : value.trim() === value ? "" : "; it has blanks";
  return `expected ${name}=${MODES[name].slice(0, -1).join(", ")} or ${MODES[name].at(-1)}${hint}`;
}

const NAME = /^\w{1,40}$/;

function describeUnknown(unknown: readonly string[]): string {
  const shown = unknown.filter((name) => NAME.test(name));
  const names = shown.length > 0 ? ` ${shown.join(", ")}` : "";
  return `unknown parameter${unknown.length > 1 ? "s" : ""}${names}: known are ${[...USED].join(", ")}; a setting of the database is set there, by ALTER ROLE … SET`;
}
