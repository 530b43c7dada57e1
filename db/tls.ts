/**
 * The driver's TLS options for the parameters of a database's address. For an address that asks for a verified certificate
 * (`sslmode=verify-full` or `verify-ca`, `ssl=true`, `sslrootcert=system`) the driver would let
 * NODE_TLS_REJECT_UNAUTHORIZED turn the verification off. Here it is always on. For other addresses nothing is added.
 */
export function tlsOf(parameters: URLSearchParams): { ssl?: { rejectUnauthorized: true } } {
  const isSystem = parameters.get("sslrootcert") === "system";
  const mode = isSystem ? "verify-full" : (parameters.get("sslmode") ?? parameters.get("ssl"));
  return mode === null || UNVERIFIED.has(mode) ? {} : { ssl: { rejectUnauthorized: true } };
}

const UNVERIFIED = new Set(["", "disable", "false", "allow", "prefer", "require"]);
