import { readFileSync } from "node:fs";
import { InstallationError } from "./installation-error.ts";

/** The driver's TLS options. */
export type TlsOptions = {
  ssl?: boolean | "allow" | "prefer" | "require" | { rejectUnauthorized: true; readonly ca?: string };
  sslnegotiation?: string;
};

/**
 * The driver's TLS options for the parameters of a database's address. For an address that asks for a verified certificate
 * (`sslmode=verify-full` or `verify-ca`, `ssl=true`, `sslrootcert`) the driver would let NODE_TLS_REJECT_UNAUTHORIZED turn
 * the verification off. Here it is always on. `sslrootcert` is `system`, or a file of authorities in PEM: it is read for each
 * connection, since it is replaced when certificates are. A connection fails with an InstallationError when it cannot be read.
 */
export function tlsOf(parameters: ReadonlyMap<string, string>): TlsOptions {
  const negotiation = parameters.get("sslnegotiation");
  const rootCert = parameters.get("sslrootcert") || undefined;
  const mode = parameters.get("sslmode") ?? parameters.get("ssl");
  if (mode === "disable" || mode === "false") return {};
  const isVerified = rootCert !== undefined || (mode !== undefined && !UNVERIFIED.has(mode));
  return {
    ...(mode && { ssl: mode as "require" }),
    ...(isVerified && { ssl: rootCert === undefined || rootCert === "system" ? VERIFIED : verifiedBy(rootCert) }),
    ...(negotiation && { sslnegotiation: negotiation }),
  };
}

const VERIFIED = { rejectUnauthorized: true } as const;

// The driver copies these options for each connection, which calls the getter.
const verifiedBy = (file: string) => ({
  ...VERIFIED,
  get ca() {
    return readAuthorities(file);
  },
});

const UNVERIFIED = new Set(["", "allow", "prefer", "require"]);

function readAuthorities(file: string): string {
  try {
    return readFileSync(/* turbopackIgnore: true */ file, "utf8");
  } catch (error) {
    throw new InstallationError(`The file that sslrootcert names cannot be read: ${(error as Error).message}`);
  }
}
