import { readFileSync } from "node:fs";
import tls from "node:tls";
import { readAuthorities } from "#domain/certificate-authorities.ts";
import { InstallationError } from "./installation-error.ts";

/** The driver's TLS options. */
export type TlsOptions = {
  ssl?: "allow" | "prefer" | "require" | TlsObject;
  sslnegotiation?: string;
};
type TlsObject = {
  rejectUnauthorized: boolean;
  readonly ca?: string | string[];
  readonly cert?: string;
  readonly key?: string;
  readonly secureContext?: tls.SecureContext;
};

/**
 * The driver's TLS options for the parameters of a database's address. For an address that asks for a verified certificate
 * (`sslmode=verify-full` or `verify-ca`, `ssl=true`, `sslrootcert`) the driver would let NODE_TLS_REJECT_UNAUTHORIZED turn
 * the verification off. Here it is always on. `sslrootcert` is `system`, as without it, or a file of authorities in PEM;
 * `sslcert` and `sslkey` are files of the client's certificate and key. Files are read for each connection, since they are
 * replaced when certificates are. A connection fails with an InstallationError when one cannot be read.
 */
export function tlsOf(parameters: ReadonlyMap<string, string>): TlsOptions {
  const given = (name: string) => parameters.get(name) || undefined;
  const negotiation = given("sslnegotiation");
  const rootCert = given("sslrootcert");
  const mode = given("sslmode") ?? given("ssl");
  if (mode === "disable" || mode === "false") return {};
  const isVerified = rootCert !== undefined || (mode !== undefined && !UNVERIFIED.has(mode));
  const client = clientOf(given("sslcert"), given("sslkey"));
  const ofSystem = rootCert === undefined || rootCert === "system";
  return {
    ...(mode && { ssl: mode as "require" }),
    ...(client && { ssl: merged({ rejectUnauthorized: false }, client) }),
    ...(isVerified && { ssl: merged(ofSystem && !client ? BY_SYSTEM : verifiedBy(rootCert), client) }),
    ...(negotiation && { sslnegotiation: negotiation }),
  };
}

/** Node.js's list of authorities, and the system's where it has one: a small image has none. */
const systemAuthorities = () => [...new Set([...tls.getCACertificates("default"), ...tls.getCACertificates("system")])];

// Made once: parsing all authorities takes 10 ms.
let systemContext: tls.SecureContext | undefined;
const BY_SYSTEM: TlsObject = {
  rejectUnauthorized: true,
  get secureContext() {
    systemContext ??= tls.createSecureContext({ ca: systemAuthorities() });
    return systemContext;
  },
};

// The driver copies these options for each connection, which calls the getters.
const verifiedBy = (file: string | undefined): TlsObject => ({
  rejectUnauthorized: true,
  get ca() {
    return file === undefined || file === "system"
      ? systemAuthorities()
      : readFile("sslrootcert", file, readAuthorities);
  },
});

const clientOf = (cert: string | undefined, key: string | undefined) =>
  cert !== undefined && key !== undefined
    ? {
        get cert() {
          return readFile("sslcert", cert, String);
        },
        get key() {
          return readFile("sslkey", key, String);
        },
      }
    : undefined;

/** Both, with their getters, which a spread would call. */
const merged = (one: TlsObject, other: object | undefined) =>
  Object.defineProperties({} as TlsObject, {
    ...Object.getOwnPropertyDescriptors(one),
    ...Object.getOwnPropertyDescriptors(other ?? {}),
  });

const UNVERIFIED = new Set(["", "allow", "prefer", "require"]);

function readFile(parameter: string, file: string, read: (bytes: Buffer) => string): string {
  try {
    return read(readFileSync(/* turbopackIgnore: true */ file));
  } catch (error) {
    throw new InstallationError(`The file that ${parameter} names cannot be read: ${(error as Error).message}`);
  }
}
