import { type Finding, failure } from "./check.ts";

/** The cause of a failed connection in words, with what to do. `where` is `host:port`. */
export function networkCause(error: unknown, where: string): Finding {
  const code = codeOf(error);
  const cause = CAUSES.find(([pattern]) => pattern.test(code));
  if (cause === undefined) {
    return failure(`${where} cannot be reached (${code})`, "Check the address, and that the installation runs.");
  }
  const [, found, fix] = cause;
  return failure(`${found.replace("{where}", where).replace("{host}", where.replace(/:\d+$/, ""))} (${code})`, fix);
}

/** The code of an error or of its cause: `ECONNREFUSED`, `TimeoutError`. */
function codeOf(error: unknown): string {
  const { code, name, cause, errors } = Object(error) as Partial<Record<"code" | "name" | "cause" | "errors", unknown>>;
  const [first] = Array.isArray(errors) ? errors : [];
  const inner = cause ?? first;
  if (typeof code === "string" && code !== "") return code;
  return inner === undefined ? String(name ?? "unknown") : codeOf(inner);
}

const TRUST = "Have it serve the whole chain of a trusted authority, or name yours in NODE_EXTRA_CA_CERTS.";

/** By the code: what it means, and what to do. */
const CAUSES: readonly (readonly [code: RegExp, found: string, fix: string])[] = [
  [
    /^ENOTFOUND$/,
    "the name {host} does not exist",
    "Look for a typing error in the address, and try another network's DNS.",
  ],
  [/^EAI_AGAIN$/, "no DNS server answers for {host}", "Is this machine online, or a VPN down?"],
  [/^ECONNREFUSED$/, "nothing listens at {where}", "Start the installation, or correct host and port of the address."],
  [
    /TIMEDOUT|TIMEOUT|^TimeoutError$/,
    "{where} takes no connection, or does not answer, within 10 s",
    "Is a firewall between, or the host down? Behind a proxy see the settings HTTPS_PROXY and NODE_USE_ENV_PROXY.",
  ],
  [/^(EHOSTUNREACH|ENETUNREACH)$/, "no route leads to {where}", "Is this machine online, or a VPN down?"],
  [/^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)$/, "the certificate of {where} is self-signed", TRUST],
  [
    /^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?)$/,
    "the certificate of {where} is from an authority that is not trusted here, or its chain is not whole",
    TRUST,
  ],
  [/^CERT_HAS_EXPIRED$/, "the certificate of {where} has expired", "Renew it; if it is new, set this machine's clock."],
  [/^CERT_NOT_YET_VALID$/, "the certificate of {where} is not valid yet", "Set this machine's clock."],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    "the certificate of {where} is for another name",
    "Use the name in the certificate, or have it issued for this one.",
  ],
  [
    /^(EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/,
    "{where} speaks no TLS",
    "Does the address begin with http:, or is the port another one?",
  ],
  [
    /^(HPE_|ERR_HTTP|UND_ERR_)/,
    "{where} does not speak HTTP as expected",
    "Does the address begin with https:, or is the port another one?",
  ],
  [
    /^(ECONNRESET|EPIPE)$/,
    "{where} closed the connection",
    "Does the address begin with https:, or does a proxy or firewall cut it?",
  ],
];
