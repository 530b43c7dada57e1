/**
 * The driver's TLS options for the database at `url`. For an address that asks for a verified certificate
 * (`sslmode=verify-full` or `verify-ca`, `ssl=true`, `sslrootcert=system`) the driver would let
 * NODE_TLS_REJECT_UNAUTHORIZED turn the verification off. Here it is always on. For other addresses nothing is added.
 */
export function tlsOf(url: string): { ssl?: { rejectUnauthorized: true } } {
  const query = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]);
  const mode = query.get("sslrootcert") === "system" ? "verify-full" : (query.get("sslmode") ?? query.get("ssl"));
  return mode === null || UNVERIFIED.has(mode) ? {} : { ssl: { rejectUnauthorized: true } };
}

const UNVERIFIED = new Set(["", "disable", "false", "allow", "prefer", "require"]);
