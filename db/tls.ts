/**
 * How the driver speaks TLS to the database at `url`. Where the address asks for a certificate that is verified
 * (`sslmode=verify-full` or `verify-ca`, `ssl=true`, `sslrootcert=system`), the driver would leave it to
 * NODE_TLS_REJECT_UNAUTHORIZED whether it is; here it always is. Other addresses say for themselves what they want.
 */
export function tlsOf(url: string): { ssl?: { rejectUnauthorized: true } } {
  const asked = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]);
  const mode = asked.get("sslrootcert") === "system" ? "verify-full" : (asked.get("sslmode") ?? asked.get("ssl"));
  return mode === null || UNVERIFIED.has(mode) ? {} : { ssl: { rejectUnauthorized: true } };
}

const UNVERIFIED = new Set(["", "disable", "false", "allow", "prefer", "require"]);
